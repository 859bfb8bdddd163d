"""The command line: `cognitive`.

Modules, in order of execution:

- `entry`: the entry point, which sends the events of hooks to `cognitive.hook.client`.
- `main`: the table of all commands, each loaded when it is called.
- `options`: options that several commands share.
- `opening`: open the layer for one command.
- `answers`: run a command's work, print its result or error, and choose the exit code.
- `shapes`: the JSON of values that several commands print.
- `printing`: JSON, tables and progress on the terminal.
- `demo`: `cognitive demo`.
- `conversation`: read the conversation that the demo plays.
- `expectations`: what the demo says about a turn, as conditions that are checked.
- `doctor`: `cognitive doctor`.
- `config`: `cognitive config`.
- `servers`: `cognitive serve`, `dashboard` and `mcp`.
- `hook`: `cognitive hook`.
- `hook_status`: `cognitive hook status` and `server`.
- `recall`: `cognitive recall`.
- `formation`: `cognitive agent form` and `memory conversation`.
- `memory`: `cognitive remember` and `memory`.
- `upkeep`: the commands of `cognitive memory` that hide memories, and list what may need attention.
- `session`: `cognitive session`.
- `why`: `cognitive why`.
- `evaluate`: `cognitive evaluate`; also reads the policy and turns of `replay` and `tune`.
- `replay`: `cognitive replay`.
- `tune`: `cognitive tune`.
- `policy`: `cognitive policy`.
- `agent`: `cognitive agent`.
- `user`: `cognitive user`.
- `token`: `cognitive token`.
- `db`: `cognitive db`.
- `indexes`: `cognitive db reembed`, `language` and `index`.
- `bench`: `cognitive bench`.
- `settings_page`: the page of all settings, docs/configuration.md.
- `reference`: print that page or docs/cli.md; run as `python -m cognitive.cli.reference`.
"""
