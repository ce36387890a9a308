"""The Python client against a running `mast serve`."""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(mast: str, project: str) -> None:
    server = StdioServerParameters(command=mast, args=["serve", "--no-watch"], cwd=project)
    async with stdio_client(server) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        listed = await session.list_tools()
        assert len(listed.tools) == 13, listed
        answer = await session.call_tool("mast_search", {"query": "openStore"})
        text = json.loads(answer.content[0].text)
        assert text["results"][0]["symbol_name"] == "openStore", text
        refused = await session.call_tool("mast_search", {"query": "x", "limit": 51})
        assert refused.content[0].text == "mast_search: limit: 51 is out of range (1 to 50)", refused
    print("python mcp: ok")


asyncio.run(main(*sys.argv[1:]))
