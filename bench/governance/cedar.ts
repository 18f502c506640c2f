// CPU time of one call judged by an organisation's policies in Cedar: twenty of them, all of which can speak about the tool, and a thousand
// of which twenty can. Invariant: in the figure that counts the arguments of all calls differ while the caller stays, as in a run; a caller
// never seen before, and a request seen before, are told apart.
import type { JsonObject } from '../../src/json/value.ts'
import { authorize, type PolicyRequest } from '../../src/policy/cedar/authorize.ts'
import type { Policies } from '../../src/policy/cedar/policy.ts'
import { closedObject, trialPolicies, trialRequest, trialTool } from '../../test/policy/trial-tool.ts'
import { readArguments, readCount, report, say } from '../arguments.ts'
import { thisMachine } from '../machine.ts'

const target = { cedar_us: 150 }

const flags = readArguments({ rounds: { type: 'string', default: '11' }, calls: { type: 'string', default: '2000' } })
const rounds = Math.max(1, readCount(flags.rounds, 'rounds'))
const callsPerRound = Math.max(1, readCount(flags.calls, 'calls'))
const warmUps = 3

const charge = trialTool(
  'charge_card',
  closedObject(
    {
      amount: { type: 'number' },
      currency: { type: 'string' },
      customer: { type: 'string' },
      note: { type: 'string' },
      items: { type: 'array', items: { type: 'string' } },
    },
    ['amount', 'currency', 'customer'],
  ),
  { effect: 'CRITICAL_MUTATION', classification: 'confidential' },
)

/** Four kinds of condition in turn: on the caller, on an amount, on labels and the tool, on an argument that may be absent. */
const kinds: readonly ((index: number) => string)[] = [
  (index) => `permit(principal, action, resource) when { principal.roles.contains("role${index}") };`,
  (index) =>
    `forbid(principal, action in Action::"effect:CRITICAL_MUTATION", resource) when { context.args.amount.greaterThan(decimal("${10_000 + index}.5")) };`,
  (index) =>
    `forbid(principal, action, resource) when { context.labels.contains("untrusted${index}") && resource.data_classification == "confidential" };`,
  (index) =>
    `@ask("operator_review") forbid(principal, action, resource) when { context.args has note && context.args.note like "*wire ${index}*" };`,
]
const twenty = Array.from({ length: 20 }, (_, index) => `@id("p${index}") ${kinds[index % 4]?.(index)}`)
const others = Array.from(
  { length: 980 },
  (_, index) =>
    `@id("q${index}") forbid(principal, action == Action::"tool_${index}", resource) when { context.args has amount };`,
)

const argumentsOf = (index: number): JsonObject => ({
  amount: 10 + index / 100,
  currency: 'EUR',
  customer: `cus_${index}`,
  note: `Order ${index}`,
  items: ['a', 'b'],
})
const principal = { user: 'alice', roles: ['support', 'role4'], scopes: ['billing:write'], agent: 'helper' }
const different = Array.from({ length: callsPerRound }, (_, index) =>
  trialRequest(charge, argumentsOf(index), { principal, labels: ['internal'] }),
)
const strangers = different.map((request, index) => ({
  ...request,
  principal: { ...principal, user: `user${index}`, roles: [`group${index}`, 'role4'] },
  labels: [`label${index}`],
}))
const same = different.map(() => different[0] as PolicyRequest)

const few = await trialPolicies(twenty.join('\n'))
const many = await trialPolicies([...twenty, ...others].join('\n'))
const runs = [
  { name: 'cedar_us', policies: few, requests: different },
  { name: 'cedar_1000_policies_us', policies: many, requests: different },
  { name: 'cedar_new_caller_us', policies: few, requests: strangers },
  { name: 'cedar_same_request_us', policies: few, requests: same },
]
for (const { name, policies } of runs) {
  const { voice, message } = authorize(policies, different[0] as PolicyRequest)
  if (voice !== 'allow') throw new Error(`${name} is not allowed: ${message}`)
}

const samples = new Map<string, number[]>(runs.map(({ name }) => [name, []]))
for (let round = -warmUps; round < rounds; round++) {
  for (const { name, policies, requests } of runs) {
    const micros = measure(policies, requests)
    if (round >= 0) samples.get(name)?.push(micros)
  }
}
const figures = Object.fromEntries([...samples].map(([name, own]) => [name, at(own, 0.5)]))
const spread = Object.fromEntries([...samples].map(([name, own]) => [name, [at(own, 0), at(own, 1)]]))
for (const [name, micros] of Object.entries(figures)) say(`${name.padEnd(26)} ${micros.toFixed(1).padStart(9)} µs`)
report(
  {
    ...figures,
    spread,
    rounds,
    calls_per_round: callsPerRound,
    target,
    met: { cedar_us: (figures.cedar_us ?? Number.NaN) <= target.cedar_us },
    machine: thisMachine(),
  },
  flags.json,
)

function measure(policies: Policies, requests: readonly PolicyRequest[]): number {
  const before = process.cpuUsage()
  for (const request of requests) authorize(policies, request)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / requests.length
}

/** The sample at a share of the way from the least to the most. */
function at(own: readonly number[], share: number): number {
  const sorted = own.toSorted((a, b) => a - b)
  return Math.round((sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN) * 100) / 100
}
