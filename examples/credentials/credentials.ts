// A tool that needs a key: who gives it, who sees it, and what is left of it in what the tool says.
import { defineTool, openProviso, ToolError } from '../../src/index.ts'
import { envCredentials } from '../../src/public/executors.ts'

const env = { PROVISO_SECRET__ACME__PAYMENTS_2FAPI: 'k9-Zx81kQpWm2f7' }

// #region tool
const balance = defineTool({
  name: 'read_balance',
  description: 'Reads the balance of an account.',
  effect: 'READ_ONLY',
  input: { type: 'object', properties: { account: { type: 'string' } }, required: ['account'] },
  credentials: { key: { ref: 'payments/api' } },
  execute({ account }, { credentials, progress }) {
    const key = credentials.get('key') ?? ''
    progress(`asking with ${key}`)
    if (account === 'closed') throw new ToolError('refused', `Refused for Basic ${btoa(`desk:${key}`)}`)
    return { account, euros: 12, debug: { url: `https://api.example.com/?key=${encodeURIComponent(key)}` } }
  },
})
// #endregion tool

// #region open
const proviso = await openProviso({
  tools: [balance],
  credentials: envCredentials({ env }), // process.env unless told otherwise
  onProgress: (told) => console.log('text' in told ? told.text : told.event),
})
// #endregion open

// #region call
const ask = (account: string, tenant: string) =>
  proviso.call({ tool: 'read_balance', arguments: { account } }, { tenant, user: 'ann' })

const answer = await ask('a-1', 'acme')
console.log(JSON.stringify(answer.observation.result_payload.data))
console.log(answer.observation.result_payload.warnings[0])

const failed = await ask('closed', 'acme')
console.log(failed.observation.result_payload.errors[0]?.message)

const other = await ask('a-1', 'globex') // has no such key
console.log(other.observation.status.taxonomy_class, other.observation.result_payload.errors[0]?.code, other.effect)
// #endregion call

await proviso.close()
