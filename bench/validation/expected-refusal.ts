// Which class and which places a refusal must name, from Ajv's errors and the published keyword table alone.
import { classOfKind, type ErrorKind, errorKinds, type Keyword, kindOfKeyword } from '../../src/schema/field-error.ts'
import type { Complaint } from './plain-ajv.ts'

export interface ExpectedRefusal {
  /** More than one only where a union leaves open which alternative was meant. */
  readonly classes: ReadonlySet<string>
  /** Places of the errors that name the class: one of them has to be told. */
  readonly deciding: ReadonlySet<string>
  /** Every place outside unions: all of them should be told. */
  readonly definite: ReadonlySet<string>
}

export function expectRefusal(complaints: readonly Complaint[]): ExpectedRefusal {
  const kindOf = ({ keyword }: Complaint): ErrorKind => kindOfKeyword(keyword as Keyword)
  const definite = complaints.filter(({ inUnion }) => !inUnion)
  const first = errorKinds.find((kind) => definite.some((complaint) => kindOf(complaint) === kind))
  const last = first === undefined ? errorKinds.length : errorKinds.indexOf(first)
  // An alternative can only add errors, so it can move the class forward and never back.
  const possible = errorKinds.filter(
    (kind, rank) => kind === first || (rank < last && complaints.some((complaint) => kindOf(complaint) === kind)),
  )
  const deciding = complaints.filter((complaint) => possible.includes(kindOf(complaint)))
  return {
    classes: new Set(possible.map((kind) => classOfKind[kind])),
    deciding: new Set(deciding.map(({ pointer }) => pointer)),
    definite: new Set(definite.map(({ pointer }) => pointer)),
  }
}
