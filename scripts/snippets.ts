// Keeps the TypeScript blocks of the docs equal to regions of examples that run. A block says where it comes from in a comment above it:
// `<!-- examples/double-charge/plain.ts#loop -->`; in the example the region stands between `// #region loop` and `// #endregion loop`.

export interface SnippetInput {
  readonly markdown: string
  /** The text of a file of the project, or undefined where there is none. */
  readonly read: (path: string) => string | undefined
  /** What an import of our own source is called by those who have installed the package. */
  readonly publicName: (sourcePath: string) => string | undefined
}

export interface Snippets {
  readonly markdown: string
  readonly problems: readonly string[]
}

const block = /(?:<!-- (\S+?)#(\S+) -->\n)?```(?:ts|typescript)\n([\s\S]*?)```/g

/** The page with every named block replaced by its region. A block without a name is a problem: nothing would keep it true. */
export function refreshSnippets({ markdown, read, publicName }: SnippetInput): Snippets {
  const problems: string[] = []
  const refreshed = markdown.replaceAll(
    block,
    (whole: string, path: string | undefined, region: string | undefined, body: string) => {
      if (path === undefined || region === undefined) {
        problems.push(`a block names no region: ${body.split('\n')[0]}`)
        return whole
      }
      const source = read(path)
      const text = source === undefined ? undefined : regionOf(source, region)
      if (text === undefined) {
        problems.push(`there is no region ${region} in ${path}`)
        return whole
      }
      return `<!-- ${path}#${region} -->\n\`\`\`ts\n${withPublicNames(text, path, publicName)}\n\`\`\``
    },
  )
  return { markdown: refreshed, problems }
}

/** The lines between the markers, without their common indentation and without markers of other regions. */
export function regionOf(source: string, name: string): string | undefined {
  const lines = source.split('\n')
  const start = lines.findIndex((line) => line.trim() === `// #region ${name}`)
  const end = lines.findIndex((line) => line.trim() === `// #endregion ${name}`)
  if (start < 0 || end < start) return undefined
  const own = lines.slice(start + 1, end).filter((line) => !/^\s*\/\/ #(?:end)?region /.test(line))
  const indents = own.filter((line) => line.trim() !== '').map((line) => line.length - line.trimStart().length)
  const indent = indents.length === 0 ? 0 : Math.min(...indents)
  return own
    .map((line) => line.slice(indent))
    .join('\n')
    .trim()
}

function withPublicNames(text: string, path: string, publicName: SnippetInput['publicName']): string {
  return text.replaceAll(/(from |import\()'(\.[^']+)'/g, (whole: string, before: string, specifier: string) => {
    const name = publicName(new URL(specifier, `file:///${path}`).pathname.slice(1))
    return name === undefined ? whole : `${before}'${name}'`
  })
}
