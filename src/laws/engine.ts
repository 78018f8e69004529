import { convert } from "../conversion/convert.ts";
import { type ClientWrite, keep } from "../conversion/keeper.ts";
import type { VersionChain } from "../conversion/version-chain.ts";
import type { JsonObject } from "../json/json.ts";

/**
 * The code that the laws test: conversion and keeper. It is passed in, so that tests can check that a broken one is
 * caught.
 */
export interface Engine {
  readonly convert: (object: JsonObject, chain: VersionChain, from: number, to: number) => JsonObject;
  readonly keep: (
    object: JsonObject,
    oldObject: JsonObject | undefined,
    write: ClientWrite,
    chain: VersionChain,
  ) => JsonObject;
}

/** The engine of the service. */
export const servingEngine: Engine = { convert, keep };
