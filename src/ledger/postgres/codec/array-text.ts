// Arrays as the texts that Postgres reads them from. The driver's own way escapes every element; most of ours are hashes, ids and numbers.

export type ArrayElement = string | number | null

const plain = /^[\w-]+$/

/** Joined, it is one flat text; added up, it would be a tree of its pieces for as long as it is kept. */
export const arrayText = (values: readonly ArrayElement[]): string => `{${values.map(elementText).join(',')}}`

/** The same of numbers and ids, in which nothing needs escaping. */
export const bareArrayText = (values: readonly (string | number)[]): string => `{${values.join(',')}}`

/** One element as it stands between the commas. */
export function elementText(value: ArrayElement): string | number {
  if (value === null) return 'NULL'
  if (typeof value === 'number') return value
  // The word alone would be read as the absence of a value.
  if (plain.test(value) && (value.length !== 4 || value.toUpperCase() !== 'NULL')) return value
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`
}
