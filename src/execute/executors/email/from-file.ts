// The email executor from its declaration in a tool file.
import { resolve } from 'node:path'
import { Fault } from '../../../contract/fault.ts'
import type { EmailFile } from '../../../contract/tool/executor-files/email-file.ts'
import type { Executor } from '../../../contract/tool/tool.ts'
import { email } from '../email.ts'
import { folderStage } from './mail-stage.ts'

export function emailFromFile(file: EmailFile, folder: string): Executor {
  const { from, to, cc, bcc, subject, text, html, recipients, version } = file
  const mail = { from, to, cc, bcc, replyTo: file.reply_to, subject, text, html, version }
  if (file.draft !== undefined)
    return email({ ...mail, recipients, draft: folderStage(resolve(folder, file.draft.folder)) })
  if (file.smtp !== undefined) return email({ ...mail, recipients: recipients ?? [], smtp: file.smtp })
  throw new Fault('bad_options', 'A mail is a draft or is sent: write draft or smtp.')
}
