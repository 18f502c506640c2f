// Asks @hyperjump/json-schema, a validator that shares nothing with ours. The document is handed over in a cache of its own, not by
// `registerSchema`: that one keeps documents for the whole process, and takes none whose identifier is a `file:` URI.
import '@hyperjump/json-schema/draft-04'
import '@hyperjump/json-schema/draft-06'
import '@hyperjump/json-schema/draft-07'
import '@hyperjump/json-schema/draft-2019-09'
import '@hyperjump/json-schema/draft-2020-12'
import { buildSchemaDocument, compile, getSchema, interpret } from '@hyperjump/json-schema/experimental'
import { fromJs } from '@hyperjump/json-schema/instance/experimental'
import type { JsonValue } from '../../src/json/value.ts'

type Browser = Parameters<typeof getSchema>[1]

const dialectIds: Readonly<Record<string, string>> = {
  draft4: 'http://json-schema.org/draft-04/schema#',
  draft6: 'http://json-schema.org/draft-06/schema#',
  draft7: 'http://json-schema.org/draft-07/schema#',
  'draft2019-09': 'https://json-schema.org/draft/2019-09/schema',
  'draft2020-12': 'https://json-schema.org/draft/2020-12/schema',
}

/** Where a schema without an identifier counts as found; nothing can be fetched from a name under `.example`. */
const retrievedFrom = 'https://proviso.example/asked'

/** Throws where it cannot read the schema. */
export async function hyperjumpAccepts(schema: JsonValue, draft: string, value: JsonValue): Promise<boolean> {
  if (typeof schema === 'boolean') return schema
  const document = buildSchemaDocument(
    schema as Parameters<typeof buildSchemaDocument>[0],
    retrievedFrom,
    dialectIds[draft],
  )
  // `getSchema` begins with such an object when none is given; its type speaks only of one that has been used already.
  const browser = { _cache: { [document.baseUri]: document } } as unknown as Browser
  const compiled = await compile(await getSchema(document.baseUri, browser))
  return interpret(compiled, fromJs(value as Parameters<typeof fromJs>[0])).valid
}
