/** Version of Latchkey: every package of the house carries it. The service version, which a server speaks as, is another. */
export const PRODUCT_VERSION = '0.1.0'
