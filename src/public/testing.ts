// `proviso/testing`: a clock that a test moves by hand.
import '../json/needs-node.ts'

export { epochMs, manualClock } from '../json/clock.ts'
