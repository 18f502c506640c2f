// Where drafts wait for a person. The port, and a folder of .eml files that any mail program opens: each written whole or not at all,
// readable by its owner alone, and named by its operation, so that the same draft made again is the same file.
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from '../../../contract/tool/executor.ts'
import { sha256 } from '../../../json/hash.ts'
import { lastLook } from '../../attempt/may-act.ts'
import { unlessThere } from '../file/failure.ts'
import type { MailAddress } from './address.ts'

export interface MailDraft {
  /** The same for every attempt of one operation. */
  readonly key: string
  readonly from: MailAddress
  readonly recipients: readonly MailAddress[]
  readonly subject: string
  readonly raw: Uint8Array
}

export interface MailStage {
  /**
   * Keeps a draft and gives the name by which people find it. A key that it has already is that same draft. `mayAct` was asked before; a stage
   * that takes a while asks again before people see the draft.
   */
  put(draft: MailDraft, mayAct: ExecutionContext['mayAct']): Promise<string>
}

export function folderStage(folder: string): MailStage {
  return {
    async put({ key, raw }, mayAct) {
      const name = `${sha256(key).slice(0, 32)}.eml`
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const unfinished = join(folder, `.${randomUUID()}.part`)
      try {
        const file = await open(unfinished, 'wx', 0o600)
        try {
          await file.writeFile(raw)
          await file.sync()
        } finally {
          await file.close()
        }
        lastLook({ mayAct })
        // Unlike a rename this never replaces: what is there was staged by the same operation.
        await link(unfinished, join(folder, name)).catch(unlessThere)
      } finally {
        await rm(unfinished, { force: true })
      }
      await syncFolder(folder)
      return name
    },
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
