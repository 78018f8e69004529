export { nearestName as nearest } from "../kind/fault.ts";
