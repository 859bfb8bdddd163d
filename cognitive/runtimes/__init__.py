"""Add memory to agents of other frameworks: one adapter module for each framework, over a shared core.

Modules, in order of execution:

- `layer_calls`: call a memory layer from any event loop and any thread, and from synchronous code.
- `identity`: name the agent and the user of a run, by ids or by functions of the run's context.
- `turn_session`: run one turn inside a framework: begin it, fit each model call, record tool calls, end it.
- `turn_end`: end a turn with the block that runs it.
- `codec`: convert a framework's messages to the memory layer's and back; the protocol and base classes of codecs.
- `chat`: convert messages and tools in OpenAI's chat format, which several frameworks share.
- `prompt_history`: remember the memory blocks that earlier turns added to the user's messages.
- `tools`: select the tools that a turn offers; define the recall tool, with which a model searches its memory.
- `agent_framework`: adapt Microsoft Agent Framework.
- `claude`: adapt the Claude Agent SDK.
- `crewai`: adapt CrewAI.
- `google_adk`: adapt Google ADK.
- `google_adk_contents`: convert Google ADK's contents.
- `hermes`: adapt Hermes.
- `langchain`: adapt LangChain and LangGraph's agents.
- `langchain_messages`: convert LangChain's messages.
- `langgraph`: implement LangGraph's store with an agent's memories.
- `litellm`: adapt LiteLLM.
- `llamaindex`: adapt LlamaIndex.
- `openai_agents`: adapt the OpenAI Agents SDK.
- `openai_settings`: select the tools and model settings of a call of the OpenAI Agents SDK.
- `openai_items`: convert the items of OpenAI's Responses API.
- `pydantic_ai`: adapt Pydantic AI.
- `smolagents`: adapt smolagents.
- `strands`: adapt Strands Agents.

Sub-packages:

- `mcp`: serve an agent's memory to MCP clients.
"""
