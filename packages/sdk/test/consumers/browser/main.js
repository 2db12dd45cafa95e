// A consumer: a page or worker that keeps the whole SDK.
import * as sdk from '@latchkey/sdk'

globalThis.sdk = sdk
