import { type Attack, createFindings, runRounds } from "../attack.js";
import { createDice, seedOfRound } from "../dice.js";
import { attackNames, deviceAttacks } from "./device-attacks.js";
import { openReleaseWorld, type ReleaseWorld } from "./release-world.js";
import { runDeviceAttack } from "./run-device-attack.js";
import { serverAttacks } from "./server-attacks.js";

/** Mutations of each kind in one round, which has its own world. */
const mutationsPerWorld = 10;

interface Tally {
  installed: number;
  offered: number;
}

/** The control: a genuine release must be offered and installed, or the refusals prove nothing. */
async function tryGenuine({ genuine, offered }: ReleaseWorld): Promise<string[]> {
  const { release, image } = genuine.newest;
  const installed = await runDeviceAttack({ offer: release, image }, createDice(1), undefined);
  const found =
    installed.length === 1 && installed[0] === release.sha256
      ? []
      : ["a genuine image was not installed"];
  return (await offered()) === release.version
    ? found
    : [...found, "a genuine release is not offered"];
}

/**
 * Attacks the reference updater with an impersonated server, and the server with forged, damaged and
 * withdrawn releases. Genuine releases are the control.
 */
export const firmware: Attack = async (options) => {
  const findings = createFindings("firmware", options);
  const tallies = new Map(
    attackNames.map((name): [string, Tally] => [name, { installed: 0, offered: 0 }]),
  );
  const rounds = await runRounds(options, { short: 2, long: 100 }, async (round) => {
    const dice = createDice(seedOfRound(options.seed, round));
    const world = await openReleaseWorld(options, dice);
    for (const what of await tryGenuine(world)) findings.add(what, round);
    for (let mutation = 0; mutation < mutationsPerWorld && !findings.hasEnough(); mutation++) {
      for (const name of attackNames) {
        const tally = tallies.get(name) as Tally;
        const attack = deviceAttacks[name](world, dice);
        const installed = await runDeviceAttack(attack, dice, options.plants);
        if (installed.length > 0) {
          tally.installed++;
          findings.add(
            `${name}: installed ${installed[0]} of ${JSON.stringify(attack.offer)}`,
            round,
          );
        }
        const wrong = await serverAttacks[name](world, dice);
        if (wrong.length > 0) tally.offered++;
        for (const what of wrong) findings.add(`${name}: ${what}`, round);
      }
    }
    await world.close();
  });
  return {
    name: `firmware ${options.store}`,
    lines: attackNames.map((name) => {
      const { installed, offered } = tallies.get(name) as Tally;
      return {
        what: name,
        rounds: rounds * mutationsPerWorld,
        result: `${installed} installed, ${offered} accepted or offered`,
        bar: "0 installed, 0 offered",
      };
    }),
    violations: findings.violations,
  };
};
