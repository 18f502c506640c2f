// Text as a model reads it, in any letters: wide and decorated ones, and those of other scripts that are drawn like
// Latin ones. What is hidden from a filter is still read by a model.

/** Letters of other scripts that are drawn like Latin ones, and those. */
const drawn = 'аеорсухіјѕԁոαοινρυκτɡʏıſ'
const read = 'aeopcyxijsdnaoivpuktgyis'
const latin = /[a-z]/
const lookAlike = new RegExp(`[${drawn}]`)
const word = new RegExp(`[a-z${drawn}]+`, 'g')

export function folded(text: string): string {
  return (
    text
      .normalize('NFKC')
      .toLowerCase()
      .replaceAll('’', "'")
      // Only in a word that has Latin letters too: a word all of another script is just a word.
      .replace(word, (whole) =>
        latin.test(whole) && lookAlike.test(whole)
          ? Array.from(whole, (letter) => read[drawn.indexOf(letter)] ?? letter).join('')
          : whole,
      )
  )
}
