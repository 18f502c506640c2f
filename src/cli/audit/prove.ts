// `proviso audit prove CALL`: writes what shows to others, without access to the ledger, that the record of a call was not changed.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { done, type Given, misuse, type Outcome, text } from '../command.ts'
import { findCall } from '../ledger/find-call.ts'
import type { Terminal } from '../terminal.ts'
import { printAnswer, tenantOf } from './print-answer.ts'
import { withLog } from './with-log.ts'

export function prove(wanted: string, given: Given, terminal: Terminal): Promise<Outcome> {
  return withLog(given, terminal, async (log, ledger) => {
    const { tenant } = tenantOf(given)
    // A retired call is on record no more, and the log still has it: a whole id is taken as it is.
    const found = await findCall(ledger, wanted, tenant === undefined ? {} : { tenant })
    const proving = await log.prove(found.ok ? found.call.id : wanted.toLowerCase(), tenant)
    if (!proving.ok) return found.ok ? misuse(proving.reason) : misuse(found.message, found.details)
    const { proof } = proving
    const out = text(given, 'out')
    const written = `${JSON.stringify(proof, null, 2)}\n`
    if (out === undefined) {
      terminal.out(written.trimEnd())
      return done(true)
    }
    await writeFile(resolve(terminal.folder, out), written)
    const wire = { call_id: proof.call_id, tenant: proof.tenant, groups: proof.groups.length, out }
    const lines = [`${out} proves ${proof.groups.length} groups of facts of call ${proof.call_id}.`]
    if (proof.next !== undefined) lines.push(`Group ${proof.next} is recorded and not under a checkpoint yet.`)
    printAnswer(given, terminal, wire, lines)
    return done(true)
  })
}
