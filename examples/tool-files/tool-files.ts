// Loads every tool file of a folder and calls one of the tools by its alias.
// #region load
import { loadContracts, openProviso } from '../../src/index.ts'

const tools = await loadContracts(import.meta.dirname)
const proviso = await openProviso({ tools })

const answer = await proviso.call({ tool: 'exchange_rate', arguments: '{"currency":"USD"}' })
console.log(answer.observation.tool_identity.name, answer.value)
// #endregion load
await proviso.close()
