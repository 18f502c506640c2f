// What takes a moment to find out about a tool when it is registered: whether its executors are without mistakes, and whether the package is
// there that reads the statements of a tool which commits with the ledger. Each tool is asked once.
import { Fault } from '../contract/fault.ts'
import type { Tool } from '../contract/tool/tool.ts'
import { executorsOf } from '../execute/executors/kept-open.ts'
import { statementReader } from '../ledger/exact/read-statement.ts'
import type { Ledger } from '../ledger/ports/ledger.ts'

const withoutRole =
  'commits-without-role at /binding/executor: tools that commit with the ledger log in as a role of their own; open the ledger with postgres(url, { toolUrl }), or with embedded(), which has one.'

const examined = new WeakSet<Tool>()

/** Throws the Fault that names what is wrong with the first tool that is not fit. */
export async function examineTools(tools: Iterable<Tool>, { operations, durability }: Ledger): Promise<void> {
  for (const tool of tools) {
    if (examined.has(tool)) continue
    const executors = [...executorsOf([tool.binding])]
    const problems: string[] = []
    if (executors.some(({ commits }) => commits === 'ledger')) {
      await statementReader()
      // A ledger in memory has refused it before.
      if (durability === 'durable' && operations.begin === undefined) problems.push(withoutRole)
    }
    for (const executor of executors) problems.push(...((await executor.examine?.()) ?? []))
    if (problems.length > 0) {
      const { name } = tool.contract.identity
      throw new Fault('registration_refused', `Tool ${name} is refused. ${problems.join(' ')}`, { details: problems })
    }
    examined.add(tool)
  }
}
