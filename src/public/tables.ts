// `proviso/tables`: the tables that everything derives from, for programs that show or check them.
import '../json/needs-node.ts'

export { effects } from '../contract/effects.ts'
export { taxonomy } from '../contract/taxonomy.ts'
export { phases } from '../pipeline/phases/phase-summary.ts'
