"""A smolagents agent with memory, in a script without an event loop.

python examples/smolagents_agent.py
"""

from __future__ import annotations

from typing import Any

from smolagents import ChatMessage, MessageRole, Model, ToolCallingAgent
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction

from cognitive import Blocking, Policy
from cognitive.runtimes.smolagents import CognitiveMultiStepAgent

AGENT = "example-smolagents"
TOLD = "By the way, I hang the key of the boat house behind the brass barometer."
ASKED = "Do you remember where the key of the boat house hangs?"


class Scripted(Model):
    """Stands where your model is called, for example an `OpenAIModel`; it prints its prompt."""

    answers = ["Noted.", "It hangs behind the brass barometer.", "I do not know."]  # noqa: RUF012

    def generate(self, messages: list[ChatMessage], **settings: Any) -> ChatMessage:
        print(f"\nThe model has the tools {[tool.name for tool in settings['tools_to_call_from']]} and sees:")
        print(messages[-1].content[-1]["text"])
        answer = ChatMessageToolCallFunction({"answer": self.answers.pop(0)}, "final_answer")
        return ChatMessage(MessageRole.ASSISTANT, "", [ChatMessageToolCall(answer, "call-1", "function")])


def main() -> None:
    policy = Policy(capture="user", deadline_ms=5_000)  # an example may run on a busy machine
    with Blocking.open(policy=policy) as layer:
        agent = CognitiveMultiStepAgent(ToolCallingAgent([], Scripted(), verbosity_level=0), layer, AGENT)
        agent.run(TOLD, user_id="ada", session_id="monday")
        layer.flush()  # only here, so that the second turn comes after the first was counted
        print("\nAnswer:", agent.run(ASKED, user_id="ada", session_id="tuesday"))
        print("\nAnswer:", agent.run(ASKED, user_id="bob", session_id="wednesday"))  # what Ada told stays hers

        layer.flush()
        for user in ("ada", "bob"):
            for turn in reversed(layer.explain.turns(AGENT, user_id=user)):
                candidates = layer.explain.candidates(AGENT, turn.turn_id, user_id=user)
                shown = [candidate for candidate in candidates if candidate.disposition == "shown"]
                used = sum(bool(candidate.used) for candidate in shown)
                print(f"{user} on {turn.session_id}: {turn.status}, {len(shown)} shown, {used} used")
        layer.erase_agent(AGENT)


if __name__ == "__main__":
    main()
