"""Rules that recognise by a tool's name which categories of work the tool is for.

Patterns are matched on the lower-case words of a name (`tool_categories.words`): "readFile" and "read_file" are "read
file", and "mcp__github__get_issue" is "github: get issue". A general verb ("read", "fetch") counts only as a whole name
or before a word for files or pages, since mail and calendars are read too. A tool that no rule recognises is never
removed.
"""

from __future__ import annotations

from collections.abc import Mapping

from cognitive.plan import Category
from cognitive.preflight.rules.matching import Rule

# What a tool does, and the categories whose turns need such tools.
TOOL_KINDS: Mapping[str, tuple[Category, ...]] = {
    "command": ("research", "coding", "crypto", "media", "monitoring"),
    "process": ("coding", "monitoring"),
    "read": ("research", "coding"),
    "change": ("coding",),
    "web": ("research", "crypto"),
    "browser": ("research", "coding"),
    "places": ("research",),
    "repository": ("coding",),
    "repository_search": ("research", "coding"),
    "repository_state": ("coding", "monitoring"),
    "memory": ("memory",),
    "view": ("coding", "media"),
    "media": ("media",),
    "transcript": ("research", "media"),
    "crypto": ("crypto",),
    "host": ("coding", "monitoring"),
    "metrics": ("monitoring",),
}

# Servers whose general verbs are about files and commands.
_LOCAL = (
    r"^(?:(?:[a-z0-9 ]* )?(?:filesystem|file system|files|desktop commander|developer|shell|terminal|serena|ide): )?"
)
_FILE = r"(?:files?|director(?:y|ies)|dirs?|folders?|paths?)"
# Shops and support desks have issues, too.
_REPOSITORY_SERVER = r"(?:git ?hub|git ?lab|gitea|forgejo|bitbucket|linear)"


def _row(kind: str, name: str, pattern: str, examples: tuple[str, ...], counterexamples: tuple[str, ...]) -> Rule:
    return Rule(f"{kind}.{name}", kind, pattern, 1.0, examples, counterexamples)


TOOL_NAME_RULES: tuple[Rule, ...] = (
    _row("command", "shell",
    _LOCAL + r"(?:(?:run|execute|exec|use|local|start|call) )?(?:in )?(?:shell|bash|zsh|terminal|powershell|cmd|exec"
    r"|commands?|code interpreter|code execution|(?:i ?)?python|repl)"
    r"(?: (?:tool|exec|command|cmd|execute|run|code|session|repl|cell))*$",
         ("bash", "shell", "execute command", "exec command", "run in terminal", "run terminal cmd", "python",
          "desktop commander: execute command"), ("slash command", "slack: command", "command bar search")),
    _row("process", "background",
    _LOCAL + r"(?:(?:bash|shell|command|terminal|process) (?:output|status|input)|get terminal output|write stdin"
    r"|(?:kill|stop|list|start|read) (?:bash|shell|terminal|process(?:es)?)(?: output)?)$",
         ("bash output", "kill shell", "list processes", "write stdin"), ("process refund", "stop")),
    _row("read", "files",
    _LOCAL + r"(?:(?:read|view|open|cat|get|search|grep|find)(?: (?:many|multiple|text|in|by|the|code))*"
    rf" (?:{_FILE}(?: (?:contents?|names?|info|search|items?))?|code (?:contents?|names?|search|items?))"
    r"|(?:file|code) (?:contents?|names?|search|items?))$",
         ("read file", "read text file", "search files", "grep files", "filesystem: read multiple files", "file search",
          "search file content", "view code item"), ("drive: read file", "file expense", "get item", "search content",
          "get name")),
    _row("read", "search",
    _LOCAL + r"(?:read|view|cat|grep|ripgrep|rg|grep search|codebase search|search codebase|semantic search"
    r"|search file content|read (?:many|multiple) files)$",
         ("read", "grep", "codebase search"), ("gmail: read", "read mail", "view calendar")),
    _row("change", "files",
    _LOCAL + r"(?:write|edit|multi ?edit|create|update|delete|remove|move|rename|copy|append|insert|replace"
    r"|multi replace"
    r"|patch|save)(?: (?:to|in|into|text|string|edit|content|a|the|new|and|or|create|write|update|overwrite))*"
    rf" {_FILE}(?: (?:contents?|in place))?$",
         ("write file", "write to file", "replace in file", "edit file", "create or update file", "move path",
          "insert edit into file", "replace file content"), ("write mail", "drive: create file", "save profile")),
    _row("change", "whole",
    _LOCAL + r"(?:write|edit|multi ?edit|replace|apply (?:patch|diff|edits?)|patch|search (?:and )?replace"
    r"|insert content"
    r"|str replace(?: based)?(?: edit(?:or)?| tool)*|text editor|undo edit|reapply|process)$",
         ("write", "edit", "multi edit", "apply patch", "str replace based edit tool", "process"),
         ("edit event", "calendar: edit")),
    _row("change", "lists",
    _LOCAL + rf"(?:list|tree)(?: (?:code|the|all|allowed|changed))*(?: {_FILE}| definition names)(?: tree"
    rf"| with sizes)?$"
    r"|^(?:ls|ls tool|glob|dir|directory tree|get changed files)$",
         ("list files", "list directory", "ls", "glob", "list code definition names", "filesystem: list directory"),
         ("list calendars", "drive: list files")),
    _row("change", "code",
    r"\b(?:code ?base|code (?:definitions?|usages|actions?)|symbols?|lints?|linter|diagnostics|run tests|refactor"
    r"|compile"
    r"|typecheck|library (?:docs|id)|notebook (?:edit|read|cells?|execute)|edit notebook)\b|^ide: ",
         ("find symbol", "notebook edit", "read lints", "run tests", "ide: get errors"),
         ("onenote: create notebook", "code of conduct", "test connection")),
    _row("web", "search",
    r"\b(?:web|internet|google|bing|brave|duckduckgo|ddg|tavily|exa|serp|searxng|kagi|perplexity|wikipedia|arxiv"
    r"|scholar)"
    r" (?:web )?(?:search|query|lookup|extract|crawl|summary|ask|run)\b"
    r"|\bsearch (?:the )?(?:web|internet|online|google|wikipedia|arxiv|news|papers)\b",
         ("web search", "brave web search", "search web", "tavily: tavily search"), ("search mail", "web hook")),
    _row("web", "fetch",
    r"\bweb ?(?:fetch|pages?|reader|extract|scrape|crawl|content)\b|\burl (?:fetch|reader|content)\b|\bscrape\b"
    r"|\bcrawl\b"
    r"|\b(?:fetch|read|get|open|visit|load) (?:the )?(?:urls?|website|web|page|link|html|markdown)\b"
    r"|^(?:fetch: )?fetch$",
         ("web fetch", "fetch", "fetch url", "fetch: fetch", "firecrawl: firecrawl scrape", "read web page"),
         ("fetch mail", "fetch container logs", "prefetch")),
    _row("browser", "browser",
    r"^(?:playwright|puppeteer|browser ?\w*)\b(?:: browser\b| (?:navigate|click|type|hover|drag|fill|press|select"
    r"|snapshot"
    r"|take|screenshot|action|evaluate|close|resize|tabs?|wait|scroll|open|back|install|network|console|handle|file))",
         ("browser action", "playwright: browser click", "puppeteer navigate", "browser take screenshot"),
         ("browser history of user", "browse catalogue")),
    _row("places", "places",
    r"\bmaps? (?:directions|geocode|search places|place details|distance matrix)\b|\bweather\b|\b(?:flight search"
    r"|search (?:flights|hotels)|get (?:forecast|directions))\b",
         ("maps directions", "get forecast", "get weather", "search flights"), ("map users", "sales forecast entry")),
    _row("repository", "issues",
    rf"\b(?:pull|merge) requests?\b|\b{_REPOSITORY_SERVER}\b.*\bissues?\b|\bjira\b",
         ("create pull request", "github: get issue", "gitea list issues", "jira: add issue comment"),
         ("issue refund", "list customer issues", "report issue", "create issue")),
    _row("repository", "history",
    r"\b(?:git|git ?hub|git ?lab|repositor(?:y|ies)|repos?|fork|push files|(?:get )?file contents|gists?|dependabot"
    r"|code scanning|workflow (?:runs?|jobs?)|failed jobs|job logs)\b"
    r"|\b(?:list|get|create|search|delete|compare|update|latest|show) (?:latest )?(?:commits?|branch(?:es)?|releases?"
    r"|pipelines?)$",
         ("list commits", "get file contents", "push files", "rerun failed jobs", "github: get me", "list branches",
          "get latest release"), ("get branch hours", "release payment", "commit to purchase")),
    _row("repository_search", "search",
    r"\bsearch (?:code|repositories|repos|pull requests)\b|\bget latest release\b"
    rf"|\b{_REPOSITORY_SERVER}\b.*\bsearch (?:issues|users)\b",
         ("search code", "search repositories", "get latest release", "github: search issues"),
         ("search codes of conduct", "research code", "search issues", "search users")),
    _row("repository_state", "runs",
    r"\b(?:workflow (?:runs?|jobs?)|job logs|pull request status|check runs?|commit status|pipelines?"
    r"|(?:dependabot|scanning) alerts?|sentry)\b",
         ("list workflow runs", "get job logs", "list dependabot alerts", "get pull request status"),
         ("run workflow", "get issue details")),
    _row("memory", "memories", r"\b(?:memor(?:y|ies)|mem0)\b",
         ("memory search", "save memory", "add memories", "memory get"), ("memorial", "memorandum")),
    _row("memory", "graph",
    r"(?:^|: )(?:(?:create|delete|search|open|update) (?:entities|relations?|observations?|nodes?)|add observations?"
    r"|read graph)$", ("create entities", "memory: add observations", "search nodes", "read graph"),
         ("list nodes", "create entity tag")),
    _row("view", "images", r"(?:^|: )(?:view|read|open|look at|attach) (?:an? )?(?:image|screenshot|media)(?: file)?$",
         ("view image", "read media file"), ("generate image",)),
    _row("media", "pictures",
    r"\b(?:generate|create|edit|make|draw|upscale|crop|resize|transform|search) (?:an? )?"
    r"(?:images?|pictures?|photos?|art|gifs?|avatars?|logos?)\b|\bimages? (?:generation|gen|edit|create|upscale"
    r"|search)\b"
    r"|\b(?:dall ?e|midjourney|stable diffusion|text to image|remove background)\b",
         ("generate image", "image generation", "edit image"), ("docker image", "view image", "create imagination")),
    _row("media", "sound",
    r"\b(?:text to speech|speech to text|tts|voices?|transcrib\w*|audio|music|songs?|playlists?|spotify|sonos"
    r"|eleven ?labs|playback|sound effects?|lyrics)\b",
         ("text to speech", "spotify playback", "elevenlabs: list models", "transcribe audio"),
         ("speaker list", "essay")),
    _row("media", "films",
    r"\b(?:generate|create|edit|make|render|cut|trim|convert|play|download|search|get) (?:an? )?(?:videos?|gifs?)$"
    r"|\b(?:subtitles?|ffmpeg|you ?tube)\b", ("generate video", "youtube: get info", "add subtitles"),
         ("create video call", "track shipment")),
    _row("transcript", "transcript", r"\btranscripts?\b|\byou ?tube\b", ("get transcript",), ("transcription",)),
    _row("crypto", "coins",
    r"\b(?:crypto(?:currency)?|coins?|wallets?|bitcoin|btc|ethereum|eth|solana|erc ?20|nfts?|defi|uniswap|etherscan"
    r"|coin ?gecko|coin ?market ?cap|on ?chain|block ?chain|binance|coinbase|metamask|staking|gas price|swap tokens?"
    r"|token (?:prices?|balances?|transfer|swap)|spl tokens?|smart contract|ens name)\b",
         ("get wallet balance", "get coin market chart", "swap tokens", "coingecko: get id coins"),
         ("coincidence", "refresh token", "count tokens")),
    # Banks have transactions too, but do not sign them.
    _row("crypto", "transfers",
    r"(?:^|: )(?:(?:send|sign|simulate|broadcast) (?:raw |native )?transactions?|get transaction receipt"
    r"|get simple prices?)$",
         ("send transaction", "get transaction receipt", "get simple price"), ("list bank transactions",)),
    _row("host", "containers",
    r"\b(?:docker|containers?|kubernetes|k8s|kubectl|pods?|helm|deployments|systemd|journalctl)\b",
         ("list containers", "fetch container logs", "get pods"), ("podcast", "contain")),
    _row("metrics", "measures",
    r"\b(?:gpus?|cpus?|nvidia|vram|prometheus|promql|grafana|loki|datadog|new ?relic|pager ?duty|ops ?genie"
    r"|cloud ?watch"
    r"|alert (?:rules?|groups?|manager|status)|alarms|uptime|health ?checks?|disk (?:usage|space)|load average|metrics?"
    r"|incidents?|(?:system|server|service) (?:status|info|metrics|load|stats|health)|(?:query|search|get"
    r"|tail) logs)\b",
         ("get gpu status", "query prometheus", "list alert rules", "get system info", "datadog: get logs"),
         ("status update", "calert", "blog posts")),
)  # fmt: skip
