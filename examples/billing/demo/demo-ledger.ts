// The ledger of the demo: a real Postgres in a temporary folder, gone afterwards. Where npm has not installed one, memory.
import { mkdtemp, readlink, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { Fault, type Ledger } from '../../../src/index.ts'
import { embedded, memory } from '../../../src/ledger/index.ts'

export type DemoLedger = {
  readonly ledger: Ledger
  /** Removes what the ledger left on disk; call it when the ledger is closed. */
  remove(): Promise<void>
} & (
  | { readonly kind: 'durable'; readonly folder: string; readonly missing: null }
  | { readonly kind: 'memory'; readonly missing: string }
)

export async function openDemoLedger(): Promise<DemoLedger> {
  const folder = await mkdtemp(join(tmpdir(), 'proviso-demo-ledger-'))
  const remove = () => removeLedger(folder)
  try {
    return { kind: 'durable', ledger: await embedded({ dir: folder }), folder, missing: null, remove }
  } catch (error) {
    await remove()
    if (!(error instanceof Fault && error.code === 'embedded_unavailable')) throw error
    return { kind: 'memory', ledger: memory(), missing: error.message, remove: async () => {} }
  }
}

/** For root the server may lie elsewhere, where its own user can reach it; the folder then links to it. */
async function removeLedger(folder: string): Promise<void> {
  const home = await readlink(join(folder, 'home')).catch(() => '.')
  if (isAbsolute(home)) await rm(home, { recursive: true, force: true })
  await rm(folder, { recursive: true, force: true })
}
