// The last act: a process is killed after the provider took an e-mail and before that was recorded. Another process finds out what
// became of it, by sending the same bytes under the same key, and the customer has one mail.
import { fork } from 'node:child_process'
import { extname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { CallContext, Effect, Proposal, Proviso, TaxonomyClass } from '../../../src/index.ts'
import { clerk, tenant } from '../clerk.ts'
import type { Stage } from '../scenario.ts'
import type { Mail } from '../world/records.ts'

/** What the process that dies is told. */
export interface DoomedCall {
  readonly folder: string
  readonly ledgerFolder: string
  readonly proposal: Proposal
  readonly context: CallContext
}

export interface CrashReport {
  readonly title: string
  readonly call_id: string
  readonly killed_by: string | null
  /** As the ledger had it when the process was gone. */
  readonly left: { readonly status: TaxonomyClass | 'RUNNING'; readonly effect: Effect; readonly mails: number }
  readonly recovered: {
    readonly status: TaxonomyClass | 'RUNNING'
    readonly effect: Effect
    readonly how: string | null
  }
  /** What the provider was asked under the key of this call. */
  readonly requests: readonly { readonly outcome: string; readonly key: string; readonly request_hash: string }[]
  readonly mails: number
  /** The agent makes the same call once more. */
  readonly again: { readonly class: TaxonomyClass; readonly effect: Effect; readonly replayed: boolean }
  readonly surprises: readonly string[]
}

const crashTitle = 'The process is killed after the mail went out and before that was recorded'

const context: CallContext = { ...clerk, run: 'run_crash' }
const mail = {
  invoice_id: 'inv_1009',
  to: { customer_id: 'cus_brandt', email: 'rechnung@brandt.example.com' },
  subject: 'Your October invoice',
  body: 'Here is your invoice for October.',
  attach_invoice: true,
}
const proposal: Proposal = { tool: 'send_invoice_email_v1', callId: 'call_18', arguments: JSON.stringify(mail) }

export async function playCrash({ desk, proviso }: Stage, ledgerFolder: string): Promise<CrashReport> {
  const ours = async () => (await desk.mail.outbox()).filter(({ invoice_id }: Mail) => invoice_id === mail.invoice_id)
  const asked = await proviso.call(proposal, context)
  await proviso.approvals.approve(asked.approval?.id ?? '', { by: 'ines' })
  const end = await killOnceTaken({ folder: desk.folder, ledgerFolder, proposal, context })
  const call_id = asked.observation.tool_identity.call_id
  const dead = await proviso.calls.get(call_id)
  const left = { status: dead?.status ?? 'RUNNING', effect: dead?.effect ?? 'unknown', mails: (await ours()).length }
  const recovered = await recoveredCall(proviso, call_id)
  const again = await proviso.call({ ...proposal, callId: 'call_19' }, context)
  const sent = await ours()
  const requests = (await desk.mail.requests()).filter(({ key }) => key === sent[0]?.key)
  const report = {
    title: crashTitle,
    call_id,
    killed_by: end.signal,
    left,
    recovered,
    requests: requests.map(({ outcome, key, request_hash }) => ({ outcome, key, request_hash })),
    mails: sent.length,
    again: {
      class: again.observation.status.taxonomy_class,
      effect: again.effect,
      replayed: again.observation.execution_metadata.idempotency_hit,
    },
  }
  return { ...report, surprises: [...(end.said === 'taken' ? [] : [end.said]), ...surprisesOf(report)] }
}

interface End {
  /** The first thing the process said: `taken`, or what became of its call instead. */
  readonly said: string
  readonly signal: string | null
}

const patienceMs = 20_000

/** Starts the process, and kills it as soon as it says that the provider has the mail. */
async function killOnceTaken(doomed: DoomedCall): Promise<End> {
  const file = fileURLToPath(new URL(`./doomed${extname(import.meta.url)}`, import.meta.url))
  const child = fork(file, [JSON.stringify(doomed)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
    timeout: patienceMs,
    killSignal: 'SIGKILL',
  })
  let said = 'the process ended before it said anything'
  child.once('message', (message) => {
    said = String(message)
    if (said === 'taken') child.kill('SIGKILL')
  })
  const signal = await new Promise<string | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (_code, by) => resolve(by))
  })
  return { said, signal }
}

/** Looks until the lease of the dead process has run out and its operation was cleared up. */
async function recoveredCall(proviso: Proviso, id: string): Promise<CrashReport['recovered']> {
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

function surprisesOf({ killed_by, left, recovered, requests, mails, again }: Omit<CrashReport, 'surprises'>) {
  const [first, second] = requests
  const rows: readonly (readonly [string, boolean])[] = [
    ['the process was not killed', killed_by === 'SIGKILL'],
    ['the mail was not out when the process died', left.mails === 1],
    ['the ledger knew the end of a dead process', left.status === 'RUNNING' && left.effect === 'unknown'],
    ['recovery did not find that it happened', recovered.status === 'SUCCESS' && recovered.effect === 'happened'],
    ['recovery went another way', recovered.how === 'provider_key'],
    ['the provider was not asked exactly twice', requests.length === 2],
    ['the second request had other bytes', first !== undefined && first.request_hash === second?.request_hash],
    ['the provider did not say that it was already sent', second?.outcome === 'already_sent'],
    [`the customer has ${mails} mails`, mails === 1],
    ['the call was not answered from the record', again.replayed && again.effect === 'happened'],
  ]
  return rows.filter(([, kept]) => !kept).map(([surprise]) => surprise)
}
