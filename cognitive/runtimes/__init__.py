"""How an agent framework gets memory, in two lines: one adapter for each framework, over a shared core.

Modules, in order of execution:

- `turn_session`: hold a turn while a framework runs it: begun once, shown at each call of the model, ended once.
- `codec`: convert a framework's messages to the layer's and back; the protocol and bases of all codecs.
- `chat`: convert messages and tools of OpenAI's chat completions, which several frameworks share.
- `prompt_history`: keep what earlier turns sent, where blocks stay in the prompt.
- `tools`: filter the tools that a turn offers; the recall tool.
- `blocking`: call a layer from code that cannot wait.
- `agent_framework`: adapt Microsoft Agent Framework.
- `claude`: adapt the Claude Agent SDK.
- `crewai`: adapt CrewAI.
- `google_adk`: adapt Google ADK.
- `hermes`: adapt Hermes.
- `langchain`: adapt LangChain and LangGraph's agents.
- `langgraph`: keep LangGraph's store in memory.
- `litellm`: adapt LiteLLM.
- `llamaindex`: adapt LlamaIndex.
- `openai_agents`: adapt the OpenAI Agents SDK.
- `openai_items`: convert the items of OpenAI's Responses API.
- `pydantic_ai`: adapt Pydantic AI.
- `smolagents`: adapt smolagents.
- `strands`: adapt Strands Agents.

Sub-packages:

- `mcp`: serve an agent's memory to MCP clients.
"""
