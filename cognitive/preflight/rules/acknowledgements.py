"""The clauses of acknowledgements, lines that only confirm, thank or promise: "Got it!", "Done, anything else?"."""

from __future__ import annotations

from cognitive.preflight.rules.matching import Rule

_OBJECT = (
    r"(?:it|that|this|them|those|that one|this one|all of (?:it|that|them)|everything|the (?:change|changes|update))"
)
_KEPT = (
    r"(?:noted|saved|stored|logged|recorded|remembered|added|written|wrote|got|updated|done|set|made|put|taken|marked"
    r"|filed|changed|fixed|sent|handled|finished|sorted|scheduled|booked|note|save|remember|log|record|keep|do|add"
    r"|update)"
)
_WHERE = (
    r"(?: (?:down|away|up|too|now|for (?:you|later|next time|future reference|the future)|in mind|in (?:my|your|the) "
    r"(?:notes|memory|list|calendar|records?|file)|to (?:my|your|the) (?:notes|memory|list|calendar|records?)|on file"
    r"|as well|right away|on it|a note of (?:it|that|this)|note of (?:it|that|this)|going forward|from now on|already"
    r"|accordingly|then|a note))*"
)


def _row(name: str, pattern: str, examples: tuple[str, ...], counterexamples: tuple[str, ...] = ()) -> Rule:
    return Rule(f"acknowledgement.{name}", "acknowledgement", f"(?:{pattern})", 1.0, examples, counterexamples)


ACKNOWLEDGEMENTS = (
    _row(
        "promise",
        rf"(?:(?:i|we)ll|(?:i|we) (?:will|can)|will|can|shall) (?:(?:be sure to|make sure to|also|definitely"
        rf"|gladly|try"
        rf" to) )*(?:do|get (?:on|to)|take care of|handle|look into|{_KEPT})(?: (?:so|{_OBJECT}))?{_WHERE}"
        rf"|(?:im |i am |right |already )*on it(?: now| right away)?|consider it done|leave it (?:to|with) me"
        rf"|(?:ill|i will) (?:bear|keep|have) {_OBJECT} in mind|right away|coming (?:right )?up|one (?:moment|sec"
        rf"|second)"
        rf"|(?:(?:ill|i will|im|well|we will|we can|then|lets) )*(?:go(?:ing)? (?:ahead|on)|mov(?:e|ing) on"
        rf"|start(?:ing)?"
        rf"|stop(?:ping)?|continu(?:e|ing)|wait(?:ing)?|leav(?:e|ing)|skip(?:ping)?)(?: (?:{_OBJECT}|here|now|then"
        rf"|there))*"
        rf"|take your time|no (?:rush|hurry)|shall we (?:go on|continue|start|begin)",
        (
            "Sure, will do.",
            "I'll keep that in mind.",
            "On it!",
            "Consider it done.",
            "I'll remember that for next time.",
            "Okay, going ahead.",
            "Understood, I'll leave it.",
        ),
        ("I'll move the deadline to Friday.", "Will do the dishes on Monday.", "I'll keep the receipt in the drawer."),
    ),
    _row(
        "kept",
        rf"(?:(?:ive|i have|i|its|it is|thats|that is|youre|all|duly|now|have|has been|been) )*{_KEPT}"
        rf"(?: {_OBJECT})?{_WHERE}|(?:ive |i have )?(?:made|taken|make) (?:a )?note(?: of {_OBJECT})?"
        rf"|your (?:notes|memory|list|records?) (?:is|are|has been|have been) updated",
        (
            "Done.",
            "Noted!",
            "I've noted that down.",
            "Got it, saved to your notes.",
            "All set.",
            "I've made a note of that.",
        ),
        ("Done: moved the deadline to Friday.", "I've booked the table for eight.", "Noted: the code is 4471."),
    ),
    _row(
        "thanks",
        rf"(?:(?:many )?thanks|thank you)(?: (?:so much|a lot|again))* for (?:letting me know|telling me|the (?:update"
        rf"|info|information|heads up|reminder|details|clarification|correction)|sharing(?: {_OBJECT})?|{_OBJECT})"
        rf"|(?:(?:so|very|im|i am|always|just) )*(?:glad|happy|pleased)(?: (?:i|to|that|you|it|could|was|able"
        rf"|helped|help"
        rf"|hear|like|liked|that|enjoyed|be|of|assist|assistance|is|works|worked))*|my pleasure|at your service"
        rf"|(?:no )?thats (?:all|it|fine|ok|okay|alright|enough)(?: (?:for now|then|thanks|by me|with me))*",
        ("Thanks for letting me know!", "Glad I could help.", "Happy to help!", "Thank you for the update."),
        ("Thanks for the 40 euros.", "Glad that Rita moved to Leeds."),
    ),
    _row(
        "offer",
        r"(?:please |just |do |feel free to )*(?:let me know|tell me|ask|shout|reach out)(?: (?:if|when|whenever"
        r"|should) "
        r"(?:you|theres|there is|anything)(?: (?:need|want|have|else|anything|something|any|more|other|further"
        r"|questions?"
        r"|changes|help|like|with|to|change|add|me|know|is|i|can|do|for|you|it|comes up|to change))*)?(?: anytime"
        r"| again)?"
        r"|(?:is there |do you need |was there |need )?(?:anything|something) (?:else|more)(?: (?:i|can|do|help"
        r"|you|with"
        r"|for|need|today|to|add))*|(?:what|how) (?:else )?can i (?:help|do)(?: (?:you|for|with|today|else))*|enjoy",
        ("Let me know if you need anything else!", "Anything else I can help you with?", "Just ask."),
        ("Let me know when the plumber comes.", "Ask Rita for the key."),
    ),
    _row(
        "understood",
        r"(?:(?:ok|okay|right|ah|oh|yes|yep|yeah|sure|alright|great|perfect|good|cool|nice|thanks) )*"
        r"(?:understood|loud (?:and|n) clear|copy(?: that)?|roger(?: that)?|good to know"
        r"|(?:that )?makes (?:perfect )?sense"
        r"|(?:that|it|this)? ?(?:sounds|looks|works)(?: (?:good|great|fine|perfect|like a plan|lovely"
        r"|right))*(?: (?:to|for)"
        r" me)?|will do|no (?:problem|worries|trouble)(?: at all)?|of course|certainly|absolutely|sure(?: thing)?"
        r"|got (?:it|that|you)|gotcha|as you (?:wish|like|say)|fair enough|all good|very well|with pleasure|my bad)",
        ("Understood.", "Of course!", "Got it!", "Sounds like a plan", "sure thing", "Copy that."),
        ("It works with the blue cable.", "That makes twelve boxes.", "Yes, the blue one."),
    ),
)
