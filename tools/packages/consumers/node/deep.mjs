// A consumer that must fail: no file of the package can be imported but its entry.
import '@latchkey/sdk/dist/errors.js'
