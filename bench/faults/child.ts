// The process that dies. It is started ahead of its use, opens what it is told to, and does what it is told to, until its point.
import { flushCompileCache } from 'node:module'
import type { SagaState } from '../../src/index.ts'
import { type CallOrder, type Host, type HostOptions, openHost, type SagaOrder, type Told } from './host.ts'
import { createTripWire, type Deed } from './trip-wire.ts'
import { watchStatements } from './watched-statements.ts'

export type Command =
  | { readonly kind: 'open'; readonly options: HostOptions }
  | { readonly kind: 'arm'; readonly label: string | undefined; readonly deed: Deed }
  | { readonly kind: 'call'; readonly call: CallOrder }
  | { readonly kind: 'saga'; readonly saga: SagaOrder }
  | { readonly kind: 'recover' }
  | { readonly kind: 'points' }

export type Reply =
  | { readonly kind: 'done' }
  | { readonly kind: 'told'; readonly told: Told }
  | { readonly kind: 'driven'; readonly state: SagaState }
  | { readonly kind: 'recovered'; readonly outcomes: readonly string[] }
  | { readonly kind: 'points'; readonly points: readonly string[]; readonly tripped: boolean }
  | { readonly kind: 'failed'; readonly message: string }

const wire = createTripWire()
let url = ''
let host: Host | undefined

watchStatements(wire, () => url)

async function obey(command: Command): Promise<Reply> {
  switch (command.kind) {
    case 'open':
      url = command.options.url
      host = await openHost(command.options, wire)
      flushCompileCache()
      return { kind: 'done' }
    case 'arm':
      wire.arm(command.label, command.deed)
      return { kind: 'done' }
    case 'call': {
      const told = await opened().call(command.call)
      await wire.reach('answer:before')
      return { kind: 'told', told }
    }
    case 'saga': {
      const { state } = await opened().saga(command.saga)
      await wire.reach('answer:before')
      return { kind: 'driven', state }
    }
    case 'recover':
      return { kind: 'recovered', outcomes: await opened().proviso.recover() }
    case 'points':
      return { kind: 'points', points: wire.points, tripped: wire.tripped }
  }
}

function opened(): Host {
  if (host === undefined) throw new Error('Nothing is open.')
  return host
}

process.on('message', async ({ number, command }: { number: number; command: Command }) => {
  const reply = await obey(command).catch((error): Reply => ({ kind: 'failed', message: String(error) }))
  process.send?.({ number, reply }, () => {
    if (reply.kind === 'told' || reply.kind === 'driven') void wire.reach('answer:after')
  })
})
// The process that started this one is gone: nothing is left to do.
process.on('disconnect', () => process.exit(0))
// Ctrl-C stops the sweep alone: the sweep ends this process, and not before it has reported.
process.on('SIGINT', () => undefined)
// What was compiled is written by a process that ends, and this one is killed: 1.2 s of processor time per start, and a third of that with it.
flushCompileCache()
process.send?.({ number: 0, reply: { kind: 'done' } })
