"""The dashboard: web pages about the turns, memories and policies of agents. `app.create` returns it as an ASGI app.

The module of a page reads data, builds a view from it and renders a template. Its `PAGES` are its routes.

Modules, in order of execution:

- `app`: route requests to the pages, sign visitors in and out, and render errors.
- `access`: identify the visitor by a token, and protect forms against cross-site requests.
- `params`: read the agent, the period and the time zone of a request.
- `page`: define a page's route and the arguments of its handler.
- `slow_pages`: answer a slow page with its frame, and read the page meanwhile.
- `all_agents`: totals of all agents, and the most degraded ones.
- `agent_list`: the list of all agents, and the agents that the switcher offers.
- `overview`: metrics of one agent over a period.
- `state`: the state of an agent in the last fifteen minutes.
- `turns`: the list of turns, with search, filters and orders.
- `turn_filters`: read the filters of the list of turns from a URL.
- `turn_detail`: one turn: its plan, candidates, prompt, response and used memories.
- `conversation`: the turns of a session as a conversation.
- `highlight`: mark the passages of a response that match used memories.
- `tools_view`: the tools that a turn removed, cut and called.
- `replay_view`: the prompt of a turn, rendered again, and its replay under the current policy.
- `why_not`: the reason why a memory was not shown, in one turn or in a list of turns.
- `memories`: the list of memories, with search and groups.
- `hit_scores`: explain the scores of the hits of a search.
- `filters`: read the group and the filters of the list of memories from a URL.
- `memory`: one memory: its usage, turns, near-duplicates and changes.
- `timeline`: compute a memory's usage and boost over time.
- `memory_forms`: rate, edit, replace and forget memories.
- `list_files`: lists of turns, memories, candidates, users, sessions and policies as files.
- `users`: the users of an agent with their counts, and one user's sessions, memories and turns.
- `policies`: the policies of an agent: live, shadow, candidates, history and learned data.
- `policy_version`: one policy version, and its differences from another.
- `policy_forms`: save, activate and roll back policies.
- `what_if`: settings as sliders, and the effect of other values on recorded turns.
- `catalog`: calls by tool, tools that were left out, and limits of models.
- `health`: the state of the database, the journal and the embedding models.

Shared by pages:

- `degradation_labels`: describe the effect and the remedy of each degradation.
- `measures`: define metrics, compare them with the period before, and measure stages.
- `trends`: charts of metrics over the steps of a period.
- `time_buckets`: divide a period into hours or days.
- `exports`: lists as CSV or JSON files.
- `sorting`: the order of a list, and the place of its page in it.
- `charts`: draw charts as SVG.
- `formats`: format numbers and times.
- `rendering`: render templates as HTML, and serve static files.
"""
