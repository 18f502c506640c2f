// `proviso/people`: who decides. Keys that last, the identity behind a request, and the card that a person is shown.
import '../json/needs-node.ts'

export { isCardCut, renderCard } from '../approval/card.ts'
export { identityOf } from '../identity/check-key.ts'
export { fileKeyStore } from '../identity/file-key-store.ts'
export { issueKey } from '../identity/key.ts'
