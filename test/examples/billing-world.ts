// A billing desk in a temporary folder, behind a Proviso with all its tools and rules on a real Postgres, and what tests ask of it.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect } from 'vitest'
import { cashier } from '../../examples/billing/clerk.ts'
import { governance } from '../../examples/billing/governance.ts'
import { billingTools } from '../../examples/billing/tools.ts'
import { type Desk, openDesk } from '../../examples/billing/world/desk.ts'
import { type Answer, type CallContext, openProviso, type Proviso } from '../../src/index.ts'
import { type Databases, startDatabases } from '../ledger/databases.ts'
import { approveAs, people } from '../people.ts'

const folders: string[] = []
const opened: Proviso[] = []
let databases: Promise<Databases> | undefined

afterEach(async () => {
  for (const proviso of opened.splice(0)) await proviso.close()
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
})

afterAll(async () => {
  await (await databases)?.end()
})

export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'proviso-billing-'))
  folders.push(folder)
  return folder
}

/** Lines of a file in the world; 0 where nothing was ever written. */
export async function lines(folder: string, file: string): Promise<number> {
  const text = await readFile(join(folder, file), 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '').length
}

export interface World {
  readonly desk: Desk
  readonly proviso: Proviso
  call(tool: string, args: unknown, context?: CallContext): Promise<Answer>
}

/** `changed` replaces parts of the desk, to let the world misbehave. */
export async function openWorld(changed: (desk: Desk) => Partial<Desk> = () => ({})): Promise<World> {
  const real = await openDesk(await newFolder())
  const desk = { ...real, ...changed(real) }
  const { everyday, critical } = billingTools(desk)
  databases ??= startDatabases()
  const ledger = await (await databases).fresh()
  const proviso = await openProviso({
    ledger,
    tools: [...everyday, ...critical],
    identity: people,
    ...governance(),
  })
  opened.push(proviso)
  let calls = 0
  return {
    desk,
    proviso,
    call: (tool, args, context = {}) =>
      proviso.call(
        { tool, arguments: JSON.stringify(args), callId: `call_${++calls}` },
        { ...cashier, run: 'run_1', ...context },
      ),
  }
}

/** Calls, has as many people approve as are asked for, and calls again. */
export async function callApproved({ proviso, call }: World, tool: string, args: unknown): Promise<Answer> {
  const asked = await call(tool, args)
  expect(asked).toMatchObject({
    effect: 'pending',
    response: { error_code: 'CONFIRMATION_MISSING', next_action: 'await_approval' },
  })
  const id = asked.approval?.id ?? ''
  for (const by of ['ann', 'ben', 'cleo']) {
    if ((await proviso.approvals.get(id))?.status === 'pending') await approveAs(proviso, id, by)
  }
  return call(tool, args)
}

export const outcome = ({ effect, response, feedback }: Answer) => ({
  class: response.error_code,
  effect,
  fields: feedback?.field_errors.map(({ field }) => field) ?? [],
})

export const refused = (name: string, ...fields: string[]) => ({ class: name, effect: 'none', fields })
export const done = { class: 'SUCCESS', effect: 'happened', fields: [] }
