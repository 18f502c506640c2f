// Arrays as the texts that Postgres reads them from. The driver's own way escapes every element; most of ours are hashes, ids and numbers.

const plain = /^[\w-]+$/

export function arrayText(values: readonly (string | number | null)[]): string {
  let text = '{'
  for (const [index, value] of values.entries()) {
    if (index > 0) text += ','
    if (value === null) text += 'NULL'
    else if (typeof value === 'number') text += value
    // The word alone would be read as the absence of a value.
    else if (plain.test(value) && value.toUpperCase() !== 'NULL') text += value
    else text += `"${value.replaceAll(/["\\]/g, '\\$&')}"`
  }
  return `${text}}`
}
