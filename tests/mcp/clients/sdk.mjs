// The two npm clients against a running `mast serve`: handshake, list, a call whose structured answer they validate.

import assert from 'node:assert/strict'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import * as next from '@modelcontextprotocol/client'
import * as nextStdio from '@modelcontextprotocol/client/stdio'

const [mast, project] = process.argv.slice(2)
const server = { command: mast, args: ['serve', '--no-watch'], cwd: project }
const warnings = []
process.on('warning', (warning) => warnings.push(String(warning)))
for (const level of ['warn', 'error']) {
  console[level] = (...words) => warnings.push(words.join(' '))
}

async function check(name, client, transport) {
  await client.connect(transport)
  assert.match(client.getInstructions() ?? '', /mast_search/, name)
  const { tools } = await client.listTools()
  assert.equal(tools.length, 13, name)
  const answer = await client.callTool({ name: 'mast_search', arguments: { query: 'openStore' } })
  assert.equal(answer.structuredContent.results[0].symbol_name, 'openStore', name)
  assert.deepEqual(JSON.parse(answer.content[0].text), answer.structuredContent, name)
  for (const [tool, questions] of Object.entries({
    mast_callers: { symbol: 'openStore' },
    mast_signature: { symbol: 'openStore' },
    mast_rename_impact: { symbol: 'openStore' },
    mast_exports: { file_path: 'src/store.ts' },
    mast_dependencies: { file_path: 'src/main.ts' },
    mast_implementors: { interface_name: 'Store' },
    mast_project_skeleton: {},
    mast_outline: { paths: ['README.md'] },
    mast_section: { sections: [{ file_path: 'README.md', heading: 'Use' }] },
    mast_status: {},
    mast_efficiency: {},
    mast_reindex: {},
  })) {
    // The client checks every structured answer against the schema it was promised.
    const { isError, content } = await client.callTool({ name: tool, arguments: questions })
    assert.ok(!isError, `${name}: ${tool}: ${JSON.stringify(content)}`)
  }
  const refused = await client.callTool({ name: 'mast_search', arguments: {} })
  assert.equal(refused.isError, true, name)
  assert.equal(refused.content[0].text, 'mast_search: query: missing; expected a string', name)
  await assert.rejects(client.callTool({ name: 'mast_nope', arguments: {} }), /unknown tool/, name)
  await client.close()
  assert.deepEqual(warnings, [], name)
  console.log(`${name}: ok`)
}

const identity = { name: 'mast-clients', version: '1' }
await check('sdk 1.x', new Client(identity), new StdioClientTransport(server))
await check('client 2.x', new next.Client(identity), new nextStdio.StdioClientTransport(server))
await check(
  'client 2.x, newest protocol',
  new next.Client(identity, { versionNegotiation: { mode: 'auto' } }),
  new nextStdio.StdioClientTransport(server),
)
