// The last act: a process is killed after its providers took an e-mail and a charge, and before either was recorded. Another process finds
// out what became of them, by sending the same bytes under the same keys: the customers have one mail and one charge.
import { fork } from 'node:child_process'
import { extname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { CallContext, Effect, Proposal, Proviso, TaxonomyClass } from '../../../src/index.ts'
import { tenant } from '../clerk.ts'
import { approve } from '../people.ts'
import type { Stage } from '../step.ts'
import { type LostCall, lostCalls, type ProviderRequest } from './lost-calls.ts'

/** What the process that dies is told. */
export interface Doomed {
  readonly folder: string
  readonly ledgerFolder: string
  readonly calls: readonly { readonly proposal: Proposal; readonly context: CallContext }[]
}

export interface LostReport {
  readonly what: LostCall['what']
  readonly call_id: string
  /** As the ledger had it when the process was gone; `done` is how often the provider did something. */
  readonly left: { readonly status: TaxonomyClass | 'RUNNING'; readonly effect: Effect; readonly done: number }
  readonly recovered: {
    readonly status: TaxonomyClass | 'RUNNING'
    readonly effect: Effect
    readonly how: string | null
  }
  /** What the provider was asked under the key of this call. */
  readonly requests: readonly ProviderRequest[]
  readonly done: number
  /** The agent makes the same call once more. */
  readonly again: { readonly class: TaxonomyClass; readonly effect: Effect; readonly replayed: boolean }
}

export interface CrashReport {
  readonly title: string
  readonly killed_by: string | null
  readonly calls: readonly LostReport[]
  readonly surprises: readonly string[]
}

const crashTitle = 'The process is killed after a mail and a charge went out, and before that was recorded'

export async function playCrash({ desk, proviso }: Stage, ledgerFolder: string): Promise<CrashReport> {
  const ids: string[] = []
  for (const { proposal, context, approvedBy } of lostCalls) {
    const asked = await proviso.call(proposal, context)
    await approve(proviso, asked.approval?.id ?? '', ...approvedBy)
    ids.push(asked.observation.tool_identity.call_id)
  }
  const calls = lostCalls.map(({ proposal, context }) => ({ proposal, context }))
  const end = await killOnceTaken({ folder: desk.folder, ledgerFolder, calls })
  const left = await Promise.all(
    lostCalls.map(async (lost, index) => {
      const dead = await proviso.calls.get(ids[index] ?? '')
      return {
        status: dead?.status ?? 'RUNNING',
        effect: dead?.effect ?? 'unknown',
        done: await lost.done(desk),
      } as const
    }),
  )
  const reports: LostReport[] = []
  for (const [index, lost] of lostCalls.entries()) {
    const call_id = ids[index] ?? ''
    const found = left[index] ?? { status: 'RUNNING', effect: 'unknown', done: 0 }
    const recovered = await recoveredCall(proviso, call_id)
    const again = await proviso.call({ ...lost.proposal, callId: `${lost.proposal.callId}_again` }, lost.context)
    const requests = await lost.requests(desk)
    reports.push({
      what: lost.what,
      call_id,
      left: found,
      recovered,
      requests: requests.map(({ outcome, key, request_hash }) => ({ outcome, key, request_hash })),
      done: await lost.done(desk),
      again: {
        class: again.observation.status.taxonomy_class,
        effect: again.effect,
        replayed: again.observation.execution_metadata.idempotency_hit,
      },
    })
  }
  const killed = end.signal === 'SIGKILL' ? [] : ['the process was not killed']
  const surprises = [...end.unexpected, ...killed, ...reports.flatMap(surprisesOf)]
  return { title: crashTitle, killed_by: end.signal, calls: reports, surprises }
}

interface End {
  /** What the process said besides that its providers had taken what it sent. */
  readonly unexpected: readonly string[]
  readonly signal: string | null
}

const patienceMs = 20_000

/** Starts the process, and kills it as soon as it has said of every call that its provider has it. */
async function killOnceTaken(doomed: Doomed): Promise<End> {
  const file = fileURLToPath(new URL(`./doomed${extname(import.meta.url)}`, import.meta.url))
  const child = fork(file, [JSON.stringify(doomed)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  })
  const awaited = new Set<string>(lostCalls.map(({ what }) => what))
  const unexpected: string[] = []
  child.on('message', (message) => {
    const said = String(message)
    if (!awaited.delete(said)) unexpected.push(said)
    if (awaited.size === 0) child.kill('SIGKILL')
  })
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (_code, by) => resolve(by))
  })
  return { unexpected: [...unexpected, ...[...awaited].map((what) => `the ${what} was never taken`)], signal }
}

/** Looks until the lease of the dead process has run out and its operation was cleared up. */
async function recoveredCall(proviso: Proviso, id: string): Promise<LostReport['recovered']> {
  const until = performance.now() + patienceMs
  for (;;) {
    await proviso.recover()
    const call = await proviso.calls.get(id, tenant)
    const status = call?.status ?? 'RUNNING'
    if (status !== 'RUNNING' || performance.now() > until) {
      const facts = await proviso.calls.facts(id, tenant)
      const how = facts.flatMap(({ verdict }) => (verdict.kind === 'recovered' ? [verdict.how] : [])).at(-1) ?? null
      return { status, effect: call?.effect ?? 'unknown', how }
    }
    await setTimeout(100)
  }
}

function surprisesOf({ what, left, recovered, requests, done, again }: LostReport): readonly string[] {
  const [first, second] = requests
  const rows: readonly (readonly [string, boolean])[] = [
    ['it was not out when the process died', left.done === 1],
    ['the ledger knew the end of a dead process', left.status === 'RUNNING' && left.effect === 'unknown'],
    ['recovery did not find that it happened', recovered.status === 'SUCCESS' && recovered.effect === 'happened'],
    ['recovery went another way', recovered.how === 'provider_key'],
    ['the provider was not asked exactly twice', requests.length === 2],
    ['the second request had other bytes', first !== undefined && first.request_hash === second?.request_hash],
    ['the provider did not say that it had it already', second?.outcome.startsWith('already_') === true],
    [`it happened ${done} times`, done === 1],
    ['the call was not answered from the record', again.replayed && again.effect === 'happened'],
  ]
  return rows.filter(([, kept]) => !kept).map(([surprise]) => `${what}: ${surprise}`)
}
