// Tools on databases and on MCP servers, and a function that shows its parts. Nothing is connected to here but one reading in memory.
import pg from 'pg'
import { defineTool, openProviso, ToolError } from '../../src/index.ts'
import { mcp, sql } from '../../src/public/executors.ts'

const pool = new pg.Pool({ connectionString: 'postgres://localhost/shop' })

// #region sql
const payInvoice = defineTool({
  name: 'mark_invoice_paid_v1',
  description: 'Marks one open invoice as paid. Moves no money.',
  effect: 'LOW_RISK_INTERNAL',
  input: {
    type: 'object',
    properties: { invoice_id: { type: 'string', format: 'uuid' }, paid_on: { type: 'string', format: 'date' } },
    required: ['invoice_id', 'paid_on'],
    additionalProperties: false,
  },
  executor: sql({
    database: { pool },
    role: 'billing_tools',
    statements: [
      {
        name: 'pay',
        access: 'write',
        text: "update invoices set status = 'paid', paid_on = $2 where id = $1 and status = 'open' returning id, total",
        parameters: [
          { argument: '/invoice_id', type: 'text' },
          { argument: '/paid_on', type: 'date' },
        ],
        expect: { rows: 1 },
        returns: 'row',
      },
    ],
  }),
  verify: {
    target: { invoice_id: '/args/invoice_id' },
    read: sql({
      database: { pool },
      statements: [
        {
          name: 'status',
          access: 'read',
          text: 'select status from invoices where id = $1',
          parameters: [{ argument: '/invoice_id', type: 'text' }],
          returns: 'row',
        },
      ],
    }),
    expect: [{ path: '/status', is: 'equals', value: 'paid' }],
  },
})
// #endregion sql

// #region mcp
const createIssue = defineTool({
  name: 'create_issue_v1',
  description: 'Opens one issue in the tracker. Assigns no person.',
  effect: 'MEDIUM_RISK_WRITE',
  input: {
    type: 'object',
    properties: { title: { type: 'string', maxLength: 200 } },
    required: ['title'],
    additionalProperties: false,
  },
  egress: 'allowlisted_domains',
  egressDomains: ['mcp.example.com'],
  credentials: { tracker: { ref: 'tracker/api' } },
  executor: mcp({
    server: { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer {credential:tracker}' } },
    tool: 'create_issue',
    serverName: 'tracker',
  }),
})
// #endregion mcp

// #region last-look
const published = new Map<string, string>() // stands for a site that knows no idempotency keys

const publishPage = defineTool({
  name: 'publish_page_v1',
  description: 'Publishes one page.',
  effect: 'MEDIUM_RISK_WRITE',
  input: {
    type: 'object',
    properties: { page: { type: 'string' } },
    required: ['page'],
    additionalProperties: false,
  },
  trusted: true,
  async execute({ page }, { mayAct }) {
    const html = await rendered(page) // takes its time, and this process may be stopped meanwhile
    if (!mayAct()) throw new ToolError('too_late', 'Nothing was published.', { effect: 'none' })
    published.set(page, html)
    return { published: page }
  },
})
// #endregion last-look

const rendered = async (page: string) => `<h1>${page}</h1>`

// #region parts
const readPages = defineTool({
  name: 'read_pages_v1',
  description: 'Reads a document page by page.',
  effect: 'READ_ONLY',
  input: { type: 'object', additionalProperties: false },
  async *execute(_args, { progress, signal }) {
    const pages: string[] = []
    for (const page of ['first', 'second']) {
      signal.throwIfAborted()
      progress(`reading the ${page} page`)
      pages.push(page)
      yield { page }
    }
    return { pages }
  },
})

const proviso = await openProviso({
  tools: [payInvoice, createIssue, publishPage, readPages],
  onProgress: (told) => console.log(told.event, 'value' in told ? told.value : told.text),
})
// #endregion parts

const { value } = await proviso.call({ tool: 'read_pages_v1', arguments: {} })
console.log(value)
const page = { tool: 'publish_page_v1', arguments: { page: 'Prices' } }
console.log((await proviso.call(page, { run: 'site' })).effect, published)
await proviso.close()
await pool.end()
