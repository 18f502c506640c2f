// `proviso audit check PROOF`: the offline verifier. Needs the proof and a public key, and no ledger.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { toIso } from '../../json/clock.ts'
import { verifyProof } from '../../ledger/log/verify-proof.ts'
import { done, type Given, misuse, type Outcome } from '../command.ts'
import { lineText } from '../plain-text.ts'
import type { Terminal } from '../terminal.ts'
import { printAnswer } from './print-answer.ts'
import { trustedKeys } from './trusted-keys.ts'

export async function checkProof(file: string, given: Given, terminal: Terminal): Promise<Outcome> {
  const trusted = await trustedKeys(given, terminal, undefined)
  if (!trusted.ok) return misuse(trusted.message, trusted.details)
  let proof: string
  try {
    proof = file === '-' ? await terminal.input() : await readFile(resolve(terminal.folder, file), 'utf8')
  } catch {
    return misuse(`${file} cannot be read.`)
  }
  const check = verifyProof(proof, trusted.keys)
  if (!check.ok) {
    const lines = [
      `${terminal.colours.red('The proof does not hold.')} ${lineText(check.where)} ${lineText(check.reason)}`,
    ]
    printAnswer(given, terminal, { ok: false, where: check.where, reason: check.reason }, lines)
    return done(false)
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
    `${terminal.colours.green('The proof holds.')} Call ${callId} of ${lineText(tenant)}, signed by ${signers.map(({ name }) => name).join(', ')} on ${at}.`,
    ...groups.map(
      ({ group, pass, index, content }) => `  group ${group} of pass ${pass}: leaf ${index}, facts ${content}`,
    ),
    ...(next === undefined ? [] : [`  group ${next} is said to be recorded and is not proven here`]),
  ]
  printAnswer(given, terminal, wire, lines)
  return done(true)
}
