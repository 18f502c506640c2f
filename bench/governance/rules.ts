// CPU time that a tool's rules add to a call: five CEL rules with the scope check, beside cel-js's own evaluator on the same rules.
// Invariant: both judge the same arguments and must agree; cel-js is charged for turning JSON numbers into its own integers.
import { Environment } from '@marcbachmann/cel-js'
import { compileTool } from '../../src/contract/tool/compile-tool.ts'
import type { RuleContext, RuleSource } from '../../src/contract/tool/rule.ts'
import { defineTool } from '../../src/index.ts'
import { epochMs } from '../../src/json/clock.ts'
import type { JsonObject } from '../../src/json/value.ts'
import { findLack } from '../../src/policy/demands.ts'
import { compileRules } from '../../src/policy/rules/compile-rules.ts'
import { judgeRules } from '../../src/policy/rules/judge-rules.ts'
import { preprocess } from '../../src/schema/preprocess.ts'
import { readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'
import { orderSchema, orderText } from '../overhead/order-payload.ts'

const target = { five_rules_us: 5 }

const sources: readonly RuleSource[] = [
  {
    id: 'customer',
    when: 'args.customer.id > 0 && args.customer.tier in ["free", "plus", "pro"]',
    message: 'Name a customer.',
  },
  { id: 'free-orders', when: 'args.customer.tier != "free" || args.items.size() <= 10', message: 'At most 10 items.' },
  { id: 'quantities', when: 'args.items.all(i, i.quantity >= 1 && i.quantity <= 100)', message: '1 to 100 of each.' },
  { id: 'notes', when: '!has(args.note) || !args.note.startsWith("URGENT")', message: 'No urgency.' },
  { id: 'role', when: '"clerk" in context.roles && context.tenant != "blocked"', message: 'Ask a clerk.' },
]

const flags = readArguments({ rounds: { type: 'string', default: '11' }, calls: { type: 'string', default: '20000' } })
const rounds = Math.max(1, readCount(flags.rounds, 'rounds'))
const calls = Math.max(1, readCount(flags.calls, 'calls'))

const reading = preprocess(orderSchema)
if (!reading.ok) throw new Error('The schema of orders is refused')
const registering = performance.now()
const compilation = compileRules(sources, { input: reading.schema })
const firstRegistration = performance.now() - registering
if (!compilation.ok) throw new Error(compilation.faults.map(({ reason }) => reason).join(' '))
const { rules } = compilation

const context: RuleContext = {
  tenant: 'acme',
  roles: ['reader', 'clerk'],
  scopes: ['orders:read', 'orders:write'],
  now: epochMs(Date.UTC(2026, 0, 1)),
}
const source = defineTool({
  name: 'count_items',
  description: 'Counts the items of an order.',
  effect: 'READ_ONLY',
  input: orderSchema,
  scopes: ['orders:read', 'orders:write'],
  execute: () => ({}),
})
const compiledTool = compileTool(source.contract, source.binding)
if (!compiledTool.ok) throw new Error('The tool is refused')
const { tool } = compiledTool
const asking = {
  principal: { user: undefined, roles: context.roles, scopes: context.scopes, agent: undefined },
  tenantKnown: true,
  tenantNamed: true,
  run: 'run-1',
  badContext: undefined,
}
const orders = Array.from({ length: 500 }, (_, index) => JSON.parse(orderText(200, index)) as JsonObject)

const environment = new Environment({ unlistedVariablesAreDyn: true })
const programs = sources.map(({ when }) => environment.parse(when))

/** Five rules as cel-js would run them: integers are bigints there, so the arguments are copied once a call. */
function judgedByCelJs(args: JsonObject): boolean {
  const values = { args: toCel(args, ''), context }
  return programs.every((program) => program(values) === true)
}

function toCel(value: unknown, name: string): unknown {
  if (typeof value === 'number') return name === 'price' ? value : BigInt(value)
  if (Array.isArray(value)) return value.map((item) => toCel(item, name))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, toCel(member, key)]))
}

/** The same with arguments that are copied beforehand: the evaluator alone. */
const copied = new Map(orders.map((args) => [args, toCel(args, '')]))
function evaluatedByCelJs(args: JsonObject): boolean {
  const values = { args: copied.get(args), context }
  return programs.every((program) => program(values) === true)
}

const contenders: readonly (readonly [string, (args: JsonObject) => boolean])[] = [
  [
    'five_rules',
    (args) => findLack(asking, tool) === undefined && judgeRules(rules, { args, context }).kind === 'pass',
  ],
  ['five_rules_alone', (args) => judgeRules(rules, { args, context }).kind === 'pass'],
  ['cel_js', judgedByCelJs],
  ['cel_js_alone', evaluatedByCelJs],
]

const samples = new Map<string, number[]>(contenders.map(([name]) => [name, []]))
for (let round = -4; round < rounds; round++) {
  for (const [name, judge] of contenders) {
    let passed = 0
    const before = process.cpuUsage()
    for (let call = 0; call < calls; call++) if (judge(orders[call % orders.length] as JsonObject)) passed++
    const { user, system } = process.cpuUsage(before)
    if (passed !== calls) throw new Error(`${name} passed ${passed} of ${calls} calls`)
    if (round >= 0) samples.get(name)?.push((user + system) / calls)
  }
}

const figures: Record<string, number> = {}
for (const [name, own] of samples) {
  own.sort((a, b) => a - b)
  const micros = round3(own[own.length >> 1] ?? Number.NaN)
  figures[`${name}_us`] = micros
  say(`${name.padEnd(18)} ${micros.toFixed(3).padStart(9)} µs`)
}

report(
  {
    ...figures,
    ratios: { cel_js_to_five_rules: round3((figures.cel_js_us ?? Number.NaN) / (figures.five_rules_us ?? Number.NaN)) },
    registration_ms: { first: round3(firstRegistration), warm: round3(warmRegistration()) },
    worst: worstCases(),
    refused: refusedCases(),
    rounds,
    calls_per_round: calls,
    target,
    met: { five_rules_us: (figures.five_rules_us ?? Number.NaN) <= target.five_rules_us },
    machine: thisMachine(),
  },
  flags.json,
)

function warmRegistration(): number {
  const started = performance.now()
  if (reading.ok) for (let time = 0; time < 20; time++) compileRules(sources, { input: reading.schema })
  return (performance.now() - started) / 20
}

/** Rules close to the limit of work, on the largest values they admit: how long the worst accepted call takes. */
function worstCases(): readonly { readonly rule: string; readonly units: number; readonly ms: number }[] {
  const list = (maxItems: number) => ({ type: 'array', maxItems, items: { type: 'integer' } })
  const text = (maxLength: number) => ({ type: 'string', maxLength })
  const large = {
    input: { a: list(20_000), b: list(120), t: text(1_000_000), s: text(150), r: text(500), q: text(10_000) },
    value: {
      a: Array.from({ length: 20_000 }, (_, index) => index),
      b: Array.from({ length: 120 }, (_, index) => index),
      t: 'ж'.repeat(1_000_000),
      s: 'abbab'.repeat(30),
      r: 'ab'.repeat(250),
      q: 'a'.repeat(10_000),
    },
  }
  const schema = preprocess({ type: 'object', required: Object.keys(large.input), properties: large.input })
  if (!schema.ok) throw new Error('The schema of large values is refused')
  const expressions = [
    'args.a.all(x, x >= 0)',
    'args.b.all(x, args.b.all(y, x + y >= 0))',
    'args.t.size() == 1000000',
    'args.q.contains("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab") == false',
    'args.s.matches("(a|b)*a(a|b){20}$") == true || true',
    'args.r.matches("(a+)+$|(b+)+$|(ab)+c") || true',
    'args.q.matches("^(?:ab?)+$")',
  ]
  return expressions.map((when) => {
    const compiled = compileRules([{ id: 'worst', when, message: 'No.' }], { input: schema.schema })
    if (!compiled.ok) throw new Error(compiled.faults.map(({ reason }) => reason).join(' '))
    const judge = () => judgeRules(compiled.rules, { args: large.value, context })
    judge()
    const started = performance.now()
    for (let time = 0; time < 5; time++) judge()
    const ms = round3((performance.now() - started) / 5)
    const units = compiled.rules[0]?.units ?? 0
    say(`${String(units).padStart(8)} units ${ms.toFixed(3).padStart(9)} ms  ${when}`)
    return { rule: when, units, ms }
  })
}

/** Rules that registration refuses here, and how long cel-js works on one call of each. */
function refusedCases(): readonly { readonly rule: string; readonly ms: number }[] {
  const letters = { s: `${'a'.repeat(26)}!` }
  const numbers = { b: Array.from({ length: 150 }, (_, index) => BigInt(index)) }
  const cases: readonly (readonly [string, object])[] = [
    ['args.s.matches("^(?:a|a)+$")', letters],
    ['args.b.all(x, args.b.all(y, args.b.all(z, x + y + z >= 0)))', numbers],
  ]
  return cases.map(([when, args]) => {
    const program = environment.parse(when)
    const started = performance.now()
    program({ args })
    const ms = round3(performance.now() - started)
    say(`${'cel-js'.padStart(14)} ${ms.toFixed(3).padStart(9)} ms  ${when}`)
    return { rule: when, ms }
  })
}

function round3(value: number): number {
  return Math.round(value * 1_000) / 1_000
}
