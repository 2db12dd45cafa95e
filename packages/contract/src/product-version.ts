/** Version of Latchkey, shared by all packages. Not the service version that a server speaks. */
export const PRODUCT_VERSION = '0.1.0'
