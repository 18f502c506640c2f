// Two versions of a tool side by side: tried out, promoted, rolled back and compared; and a release that binds everything.
// Run it: node examples/versions/versions.ts
// #region versions
import { defineTool, openProviso } from '../../src/index.ts'
import { makeRelease } from '../../src/public/drift.ts'

const quote = (version: string, cents: number) =>
  defineTool({
    name: 'quote_v1',
    version,
    description: 'Quotes the price of an article.',
    effect: 'READ_ONLY',
    input: {
      type: 'object',
      properties: { article: { type: 'string' } },
      required: ['article'],
      additionalProperties: false,
    },
    execute: () => ({ cents }),
  })

const [old, recent] = [quote('1.4.0', 1900), quote('2.0.0', 2100)]

const proviso = await openProviso({
  tools: [old, recent],
  versions: { quote_v1: { current: '1.4.0', canary: { version: '2.0.0', share: 1, tenants: ['acme'] } } },
})
// #endregion versions

const ask = async (tenant: string, run: string, release?: string) => {
  const context = { tenant, run, ...(release === undefined ? {} : { release }) }
  const { observation } = await proviso.call({ tool: 'quote_v1', arguments: { article: 'a-1' } }, context)
  return `${observation.tool_identity.version} ${observation.status.taxonomy_class}`
}

console.log(await ask('acme', 'run-1'), '|', await ask('globex', 'run-2'))

// #region promote
const { versions } = await proviso.versions.compare('quote_v1', '1.4.0', '2.0.0')
if (versions[1].statuses.SUCCESS === versions[1].calls) {
  await proviso.versions.promote('quote_v1', '2.0.0', { by: 'ann', why: 'No refusals in a week.' })
}
// #endregion promote
console.log(await ask('globex', 'run-3'), '| run-2 stays with', await ask('globex', 'run-2'))

// #region rollback
const { current } = await proviso.versions.rollback('quote_v1', { by: 'bob', why: 'Prices are rounded wrong.' })
// #endregion rollback
console.log(current, '|', await ask('globex', 'run-3'))

// #region release
const release = makeRelease({ model: 'some-model-2026-10', prompt: 'You quote prices of {company}.', tools: [recent] })
await proviso.releases.promote(release, { by: 'ann', why: 'New model, new prompt, new prices.' })

const answer = await proviso.call(
  { tool: 'quote_v1', arguments: { article: 'a-1' } },
  { tenant: 'acme', run: 'run-4', release: release.id, model: 'some-model-2026-07' },
)
console.log(answer.observation.result_payload.errors[0]?.code) // release_mismatch: the model is another one
// #endregion release
console.log(await ask('acme', 'run-5', release.id))
await proviso.close()
