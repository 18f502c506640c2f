// READ_ONLY, but it asks the open web: a query can carry out what a run has read. A person consents, and a run that has read confidential
// data does not get that far.
import { defineTool } from '../../../src/index.ts'
import { searchWeb } from '../world/web.ts'

export const researchCompany = () =>
  defineTool({
    name: 'research_company_v1',
    owner: 'billing',
    description:
      'EXECUTE ONLY to look a company up on the public web: address, register entry, standing. Strangers see the query. Changes nothing.',
    useWhen: ['A new customer has to be checked, before anything about them was read from our books.'],
    avoidWhen: ['With amounts, invoices or anything else from our books in the query.'],
    effect: 'READ_ONLY',
    scopes: ['research'],
    tenantScoped: true,
    classification: 'public',
    egress: 'unrestricted_with_approval',
    input: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 3, maxLength: 200, description: 'As typed into a search box.' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    output: {
      type: 'object',
      properties: { hits: { type: 'array', maxItems: 10, items: { type: 'string' } } },
      required: ['hits'],
      additionalProperties: false,
    },
    examples: [{ description: 'Look one company up.', arguments: { query: 'Brandt Optik GmbH' } }],
    execute: ({ query }) => ({ hits: [...searchWeb(query)] }),
  })
