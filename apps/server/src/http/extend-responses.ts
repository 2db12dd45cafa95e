import type { ServerResponse } from 'node:http'
import express, { type Express } from 'express'

/**
 * Express replaces the prototype of each response with its own, which extends Node's class. The server's responses
 * have a class of their own (`listener/http-server.ts`), which closes connections during a drain; this puts Express's
 * methods on top of that class instead.
 *
 * @returns a function to call with each response before Express sees it. All responses of a server share one class,
 * so the work is done once.
 */
export function extendResponses(app: Express): (response: ServerResponse) => void {
  const methods = {
    ...Object.getOwnPropertyDescriptors(express.response),
    ...Object.getOwnPropertyDescriptors(app.response),
  }
  let extended: unknown
  return (response) => {
    const prototype = Object.getPrototypeOf(response)
    if (prototype === extended) return
    extended = prototype
    app.response = Object.create(prototype, methods)
  }
}
