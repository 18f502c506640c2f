// An answer of the prover, for people and for machines.
import type { Proof } from '../../subschema/is-subschema.ts'
import { plainText, shortJson } from '../plain-text.ts'
import type { Colours } from '../terminal.ts'
import { textTable } from '../text-table.ts'

const witnessLength = 2_000

/** The same with the names of the wire. */
export function wireProof(proof: Proof): object {
  if (proof.verdict !== 'refuted') return proof
  const { verdict, witness, instancePath, rPointer, lPointer, reason } = proof
  return { verdict, witness, instance_path: instancePath, r_pointer: rPointer, l_pointer: lPointer, reason }
}

export function showProof(proof: Proof, r: string, l: string, { bold, dim, green, red, yellow }: Colours): string {
  const names = { r: `R (${plainText(r)})`, l: `L (${plainText(l)})` }
  switch (proof.verdict) {
    case 'proven':
      return [
        `${green(bold('proven'))}  every value of ${names.r} is a value of ${names.l}`,
        ...(proof.assumes ?? []).map((assumption) => `  ${dim('assuming')} ${plainText(assumption)}`),
      ].join('\n')
    case 'refuted':
      return [
        `${red(bold('refuted'))}  ${plainText(proof.reason)}`,
        textTable(
          [
            [dim('witness'), shortJson(proof.witness, witnessLength)],
            [dim('at'), place(proof.instancePath, 'the whole value')],
            [dim('allowed by'), `${names.r}, at ${place(proof.rPointer, 'its root')}`],
            [dim('refused by'), `${names.l}, at ${place(proof.lPointer, 'its root')}`],
          ],
          { indent: '  ' },
        ),
      ].join('\n')
    case 'unsupported':
      return [
        `${yellow(bold('unsupported'))}  ${plainText(proof.construct)}: ${plainText(proof.reason)}`,
        `  ${dim('at')} ${place(proof.pointer, 'the root')} of ${names[proof.side]}`,
      ].join('\n')
  }
}

function place(pointer: string, root: string): string {
  return pointer === '' ? root : plainText(pointer)
}
