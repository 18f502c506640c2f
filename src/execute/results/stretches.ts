// What has to come behind the beginning of a rule, with open stretches of text in between. Each stretch is looked through once, also one that
// holds what it likes: of all places where it may begin, the last one before a find is the only one that matters, because it leaves the most room.

export interface Stretch {
  /** At most so many characters before what is looked for. */
  readonly most: number
  /** What ends the stretch: a line break; or also a full stop and the like before a blank, or any. */
  readonly inside: 'line' | 'sentence' | 'clause'
  /** Global; what it finds is short. */
  readonly find: RegExp
}

/** Nothing that is looked for is longer. */
const longestFind = 100
/** Before the sign of an address of mail. */
const longestLocal = 64

export function followsThrough(text: string, from: number, stretches: readonly Stretch[]): boolean {
  let starts: readonly number[] = [from]
  for (const stretch of stretches) {
    starts = endsOf(text, starts, stretch)
    if (starts.length === 0) return false
  }
  return true
}

/** Where that ends which was found; `starts` are in the order of the text. */
function endsOf(text: string, starts: readonly number[], { most, inside, find }: Stretch): readonly number[] {
  const first = starts[0] ?? 0
  // With the character before it: what is found may have to begin a word.
  const base = Math.max(0, first - 1)
  const part = text.slice(base, (starts.at(-1) ?? first) + most + longestFind)
  const ends: number[] = []
  let next = 0
  let start = first
  let stop = stopBehind(part, first - base, inside) + base
  find.lastIndex = first - base
  for (let found = find.exec(part); found !== null; found = find.exec(part)) {
    const at = base + found.index
    const isMail = found[0].startsWith('@')
    const latest = isMail ? at - 1 : at
    while (next + 1 < starts.length && (starts[next + 1] as number) <= latest) {
      start = starts[++next] as number
      if (stop < start) stop = stopBehind(part, start - base, inside) + base
    }
    const begin = isMail ? Math.max(start, beginOfLocal(text, at)) : at
    if (begin <= latest && begin - start <= most && begin <= stop) ends.push(at + found[0].length)
  }
  return ends
}

const breaks = /[.!?\n]/g

function stopBehind(text: string, from: number, inside: Stretch['inside']): number {
  if (inside === 'line') {
    const at = text.indexOf('\n', from)
    return at === -1 ? text.length : at
  }
  breaks.lastIndex = from
  for (let found = breaks.exec(text); found !== null; found = breaks.exec(text)) {
    const { index } = found
    const after = text.charAt(index + 1)
    if (inside === 'clause' || found[0] === '\n' || after === '' || after.trim() === '') return index
  }
  return text.length
}

function beginOfLocal(text: string, sign: number): number {
  let begin = sign
  while (begin > 0 && sign - begin < longestLocal && /[\w.+-]/.test(text.charAt(begin - 1))) begin--
  return begin
}
