/** Version of Latchkey, shared by all packages. Not the service version that a server speaks. */
export const PRODUCT_VERSION = '1.0.0-rc.1'
