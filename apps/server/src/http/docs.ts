import express, { type Router } from 'express'

/** The documentation page. */
export function docsRouter(): Router {
  return express.Router()
}
