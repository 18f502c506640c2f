// The files that `proviso init` writes, by path. They pass `proviso check` without a word; a test holds them to it.
import { cancelOrderFile } from './cancel-order-file.ts'
import { lookupOrderFile } from './lookup-order-file.ts'
import { ordersCode, ordersData } from './orders-code.ts'

const readme = `# Two tools to begin with

- \`lookup_order_v1.tool.yaml\` reads an order; \`cancel_order_v1.tool.yaml\` changes one.
- \`orders.mjs\` is the code they run, \`orders.json\` the orders.

Try, from the folder above this one:

\`\`\`sh
npx proviso check tools
npx proviso call lookup_order_v1 '{"order_id":"ord_1001"}'
npx proviso call cancel_order_v1 '{"order_id":"ord_1002","reason":"customer_request"}' --scope orders:write
\`\`\`

The first looks for mistakes in the tool files. The second succeeds. The third is refused, because that order was shipped:
\`npx proviso explain latest\` shows which phase said so and what was promised.
Calls are kept in \`.proviso/\`, by the Postgres that npm ships; where it is not installed, the command says what to install, and
\`--memory\` tries a call without keeping it.

Leave \`--scope\` out, misspell the reason, or cancel \`ord_1001\` instead, and see what changes.
`

export const starterFiles: readonly { readonly path: string; readonly text: string }[] = [
  { path: 'tools/lookup_order_v1.tool.yaml', text: lookupOrderFile },
  { path: 'tools/cancel_order_v1.tool.yaml', text: cancelOrderFile },
  { path: 'tools/orders.mjs', text: ordersCode },
  { path: 'tools/orders.json', text: ordersData },
  { path: 'tools/README.md', text: readme },
]
