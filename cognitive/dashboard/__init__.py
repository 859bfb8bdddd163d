"""Show on web pages what agents were shown, what they used, and why. A server mounts what `app.create` makes.

The module of a page reads, makes a view of what was read, and answers; its `PAGES` are its rows in the table of `app`.

Modules, in order of execution:

- `app`: list all pages, route requests to them, sign visitors in and out, and answer errors.
- `access`: find out who looks, and check that a form comes from our own pages.
- `params`: read what an address asks for: the agent, the period, the time zone.
- `page`: define a page, and what its handler is given.
- `all_agents`: the page of all agents.
- `overview`: the overview of one agent.
- `turns`: the list of turns.
- `turn_detail`: one turn: what was understood, found, shown, answered and used.
- `highlight`: mark in a response what came from which memory.
- `tools_view`: the tools of one turn.
- `replay_view`: the prompt of a turn rendered again, and the turn under the policy of today.
- `why_not`: why a memory was not shown, in one turn or in those of a list.
- `memories`: the list of memories.
- `filters`: read the group and the filters of that list from an address.
- `memory`: the life of one memory.
- `timeline`: its use and its boost over time.
- `memory_forms`: rate, change, replace and forget memories.
- `policies`: the policies of an agent, and one beside another.
- `policy_forms`: save and choose policies.
- `what_if`: sliders over settings, and what recorded turns say of where they stand.
- `catalog`: tools and models.
- `health`: the state of what memory stands on.

What pages share:

- `degradation_labels`: say what each degradation meant for a turn, and what to do about it.
- `measures`: measure numbers, compare them with the period before, and time stages.
- `time_buckets`: divide a period into hours or days.
- `charts`: draw charts as SVG.
- `formats`: write numbers and times.
- `rendering`: render templates as HTML, and serve static files.
"""
