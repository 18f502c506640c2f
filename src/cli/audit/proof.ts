// A call proven to others: `proviso audit prove` writes that its record was not changed, and `proviso audit check` verifies that offline, with
// a public key and no ledger.
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { toIso } from '../../json/clock.ts'
import { verifyProof } from '../../ledger/log/proof/verify-proof.ts'
import { type CommandIo, type CommandResult, done, misuse } from '../command.ts'
import { findCall } from '../find-record.ts'
import { jsonText, lineText } from '../plain-text.ts'
import { printResult } from '../print.ts'
import { readText } from '../read-input.ts'
import { trustedKeys, withLog } from './log.ts'

export function writeProof(io: CommandIo): Promise<CommandResult> {
  return withLog(io, async (log, ledger) => {
    const [wanted = ''] = io.words
    const { tenant } = io.pick('tenant')
    // A retired call is on record no more, and the log still has it: a whole id is taken as it is.
    const found = await findCall(ledger, wanted, io.pick('tenant'))
    const proving = await log.prove(found.ok ? found.value.id : wanted.toLowerCase(), tenant)
    if (!proving.ok) return found.ok ? misuse(proving.reason) : found.result
    const { proof } = proving
    const text = jsonText(proof, 2)
    const out = io.option('out')
    if (out === undefined) {
      io.out(text)
      return done(true)
    }
    await writeFile(resolve(io.folder, out), `${text}\n`)
    const wire = { call_id: proof.call_id, tenant: proof.tenant, groups: proof.groups.length, out }
    return printResult(io, wire, [
      `${out} proves ${proof.groups.length} groups of facts of call ${proof.call_id}.`,
      ...(proof.next === undefined ? [] : [`Group ${proof.next} is recorded and not under a checkpoint yet.`]),
    ])
  })
}

export async function checkProof(io: CommandIo): Promise<CommandResult> {
  const trusted = await trustedKeys(io, undefined)
  if (!trusted.ok) return trusted.result
  const proof = await readText(io.words[0] ?? '', io)
  if (!proof.ok) return proof.result
  const check = verifyProof(proof.value, trusted.value)
  if (!check.ok) {
    const { where, reason } = check
    const line = `${io.colours.red('The proof does not hold.')} ${lineText(where)} ${lineText(reason)}`
    return printResult(io, { ok: false, where, reason }, line, false)
  }
  const { tenant, callId, groups, checkpoint, signers, next } = check
  const at = toIso(checkpoint.at)
  const wire = {
    ok: true,
    tenant,
    call_id: callId,
    checkpoint: { origin: checkpoint.origin, size: checkpoint.size, at, signers: signers.map(({ name }) => name) },
    groups: groups.map(({ group, pass, index, content, facts }) => ({
      group,
      pass,
      index,
      content,
      facts: facts ?? null,
    })),
    next: next ?? null,
  }
  const lines = [
    `${io.colours.green('The proof holds.')} Call ${callId} of ${lineText(tenant)}, signed by ${signers.map(({ name }) => name).join(', ')} on ${at}.`,
    ...groups.map(
      ({ group, pass, index, content }) => `  group ${group} of pass ${pass}: leaf ${index}, facts ${content}`,
    ),
    ...(next === undefined ? [] : [`  group ${next} is said to be recorded and is not proven here`]),
  ]
  return printResult(io, wire, lines)
}
