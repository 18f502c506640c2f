// Refuses a Node that is too old before anything else is loaded, in one line that says which is needed.
// Every entry imports this first.

/** As `engines` in package.json says; a test holds the two together. */
const needed = '22.18'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const [neededMajor = 0, neededMinor = 0] = needed.split('.').map(Number)
if (major < neededMajor || (major === neededMajor && minor < neededMinor)) {
  const message = `Proviso needs Node ${needed} or later; this is Node ${process.versions.node}.`
  // Where it happened is of no interest.
  throw Object.assign(new Error(message), { stack: message })
}
