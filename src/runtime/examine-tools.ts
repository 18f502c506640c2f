// What takes a moment to find out about a tool when it is registered: whether its executors are without mistakes, and whether the package is
// there that reads the statements of a tool which commits with the ledger. Each tool is asked once.
import { Fault } from '../contract/fault.ts'
import type { Tool } from '../contract/tool/tool.ts'
import { executorsOf } from '../execute/executors/kept-open.ts'
import { statementReader } from '../ledger/exact/read-statement.ts'

const examined = new WeakSet<Tool>()

/** Throws the Fault that names what is wrong with the first tool that is not fit. */
export async function examineTools(tools: Iterable<Tool>): Promise<void> {
  for (const tool of tools) {
    if (examined.has(tool)) continue
    const executors = [...executorsOf([tool.binding])]
    if (executors.some(({ commits }) => commits === 'ledger')) await statementReader()
    const problems: string[] = []
    for (const executor of executors) problems.push(...((await executor.examine?.()) ?? []))
    if (problems.length > 0) {
      const { name } = tool.contract.identity
      throw new Fault('registration_refused', `Tool ${name} is refused. ${problems.join(' ')}`, { details: problems })
    }
    examined.add(tool)
  }
}
