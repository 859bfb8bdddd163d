"""Tell towns from countries, and from what else one moves to: tools, employers, teams, shifts.

Both lists are of the commonest names and therefore incomplete. "I moved to X" counts as a new home unless X is listed
here, since a new town is what people most often say with these words.
"""

from __future__ import annotations

from collections.abc import Sequence

from brain.claims.vocabulary import ARTICLES, TITLES

# What may follow the town that one moved to: "to Rio de Janeiro last week", but not "to Ghent as a child".
_IN_TOWNS = ARTICLES | frozenset("de la of upon now permanently recently last week month year".split())

_NO_TOWNS = frozenset(
    """accenture accounting accounts adidas admin agile ai airbus airtable aldi allianz amazon android angular ansible
    anthropic apple apprenticeship arch asana astro audible aws azure backend bank barclays basf bash bayer
    bazel bbc bing bitbucket bitwarden bmw bosch bp brave bun canva chatgpt chrome cisco citi claude cloudflare
    codex compliance confluence consulting copilot cursor customer daimler data datadog days debian deezer dell
    deloitte deno design devops dhl directus discord django docker dropbox duckdb ebay edge elasticsearch elixir
    emacs engineering ericsson evernote excel express ey facebook fastapi fastmail fedora figma finance firebase
    firefox flask flutter fly freelance frontend full fullstack gatsby gemini gimp git gitea github gitlab gmail
    go godot google gradle grafana graphql hardware heroku hp hr hsbc hubspot hugo ibm icloud ikea infra ing
    instagram intel ios iphone java javascript jenkins jira joplin julia kafka kanban kde kindle kotlin kpmg
    kubernetes laravel legal libreoffice lidl lightroom linear linkedin linux lloyds logistics lua mac macos
    mailchimp management mariadb marketing mastodon maven mckinsey medium mercurial meta microsoft mint miro
    monday mongo mongodb mysql neovim nestle netflix netlify next nextcloud nhs nights nike nix nixos node nokia
    notion npm numpy nuxt nvidia obsidian office onedrive onenote openai opera operations ops oracle outlook
    pages pandas part part-time paypal payroll philips photoshop php plan planning platform pnpm podman polars
    postgres postgresql premium pro procurement product production proton protonmail pulumi purchasing pwc
    pycharm python pytorch qa quality r rabbitmq rails rbs react redis redmine remix remote research revolut
    roche ruby rust safari sainsbury's sales salesforce samsung santander sap scala scrum sentry sharepoint
    shell shopify siemens signal sketch sky slack snowflake solid sony spotify spring sqlite squarespace stage
    standard strategy stripe sublime substack support svelte swift tableau tailwind team teams telegram
    terraform tesco tesla threads tidal tiktok todoist toyota training trello trunk twitter typescript uber ubs
    ubuntu unilever unity unix user uv vercel vim visa vite vodafone volkswagen vs vscode vue walmart wayfair
    webflow webpack whatsapp windows wise word wordpress work xcode xero yaml yarn youtube zalando zed zig zoho
    zoom""".split()
)

# Countries and regions.
_COUNTRIES = frozenset(
    """africa albania algeria america andalusia arab arabia argentina arizona asia australia austria bangladesh bavaria
    belgium bolivia bosnia brandenburg brazil brittany bulgaria california cameroon canada carinthia catalonia
    chile china colombia colorado cornwall costa croatia cuba cyprus czechia denmark devon ecuador egypt
    emirates england essex estonia ethiopia europe finland flanders florida france galicia georgia germany ghana
    greece hesse hungary iceland illinois india indonesia iran iraq ireland israel italy jamaica japan jordan
    kent kenya kingdom korea kuwait lancashire lanka latvia lebanon lithuania lombardy malaysia malta mexico
    michigan moldova montenegro morocco nepal netherlands nevada new nigeria norfolk normandy north norway ohio
    oman ontario oregon pakistan panama paraguay peru philippines poland portugal provence qatar quebec rica
    romania russia sardinia saudi saxony scandinavia scotland senegal serbia sicily slovakia slovenia somalia
    south spain sri states styria suffolk surrey sussex sweden switzerland syria taiwan tanzania texas thailand
    thuringia tunisia turkey tuscany tyrol uae uganda uk ukraine united uruguay usa utah venezuela vietnam
    virginia wales yemen yorkshire zambia zealand zimbabwe""".split()
)


def is_country(words: Sequence[str]) -> bool:
    """Return True if a place is a country or region: who lives in one may live in any of its towns."""
    return _COUNTRIES.issuperset(set(words) - ARTICLES)


def is_town(words: Sequence[str], capitals: Sequence[bool]) -> bool:
    """Return True if what one moved to is a place: "Ghent last week", but not "nights", "Dr Lee" or "Slack"."""
    named = all(word in _IN_TOWNS or capital for word, capital in zip(words, capitals, strict=True))
    is_person = any(word.endswith("'s") or word in TITLES - {"st"} for word in words)
    return any(capitals) and named and not is_person and _NO_TOWNS.isdisjoint(words)
