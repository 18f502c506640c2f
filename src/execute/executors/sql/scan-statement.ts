// Looks through the text of a statement as Postgres reads it: what is a string, a quoted name or a comment is none of the statement's
// own words. The server has the last word; this finds mistakes when a tool is registered instead of when it is called.

export interface Scan {
  /** The first word, in lower case; empty where there is none. */
  readonly verb: string
  /** The numbers of its parameters. */
  readonly parameters: ReadonlySet<number>
  /** More than one statement, or a part of it that is never closed. */
  readonly broken: string | undefined
}

const token =
  /(?<space>\s+|--[^\n]*)|(?<comment>\/\*)|(?<escaped>[eE]'(?:[^'\\]|''|\\[\s\S])*')|(?<string>(?:[uU]&)?'(?:[^']|'')*')|(?<name>(?:[uU]&)?"(?:[^"]|"")*")|\$(?<parameter>[0-9]+)|(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)|(?<end>;)|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(?<open>['"])|[\s\S]/y

export function scanStatement(text: string): Scan {
  const parameters = new Set<number>()
  let verb = ''
  let ended = false
  const broken = (why: string): Scan => ({ verb, parameters, broken: why })
  token.lastIndex = 0
  while (token.lastIndex < text.length) {
    const groups = token.exec(text)?.groups ?? {}
    const at = token.lastIndex
    if (groups.space !== undefined) continue
    if (groups.comment !== undefined) {
      const end = endOfComment(text, at)
      if (end === undefined) return broken('has a comment that is never closed')
      token.lastIndex = end
      continue
    }
    if (groups.end !== undefined) {
      ended = true
      continue
    }
    if (ended) return broken('holds more than one statement')
    if (groups.open !== undefined) return broken('has a quotation mark that is never closed')
    if (groups.dollar !== undefined) {
      const end = text.indexOf(groups.dollar, at)
      if (end === -1) return broken('has a dollar-quoted text that is never closed')
      token.lastIndex = end + groups.dollar.length
      continue
    }
    if (groups.parameter !== undefined) parameters.add(Number(groups.parameter))
    if (groups.word !== undefined && verb === '') verb = groups.word.toLowerCase()
  }
  return { verb, parameters, broken: undefined }
}

/** Comments nest in Postgres. */
function endOfComment(text: string, from: number): number | undefined {
  const mark = /\/\*|\*\//g
  mark.lastIndex = from
  for (let depth = 1; ; ) {
    const found = mark.exec(text)
    if (found === null) return undefined
    depth += found[0] === '/*' ? 1 : -1
    if (depth === 0) return mark.lastIndex
  }
}
