<?php

declare(strict_types=1);

/*
 * Compares the classes of this package with the stub of the extension, by reflection. Run without the extension:
 *
 *   php -n polyfill-parity/tests/signatures.php [stub.php]
 */

require __DIR__ . '/../autoload.php';

if (extension_loaded('coppice')) {
    fwrite(STDERR, "signatures: the extension is loaded; run this with php -n\n");
    exit(2);
}
$stub = $argv[1] ?? __DIR__ . '/../../php-ext/coppice.stub.php';
$source = preg_replace('/^namespace Coppice \{$/m', 'namespace CoppiceStub {', (string) file_get_contents($stub), -1, $replaced);
if ($replaced !== 1) {
    fwrite(STDERR, "signatures: $stub does not declare one namespace Coppice\n");
    exit(2);
}
preg_match_all('/^    (?:final )?(?:class|interface) (\w+)/m', (string) $source, $m);
eval('?>' . $source);

/** What a type, value or name is in the stub's namespace, said in the package's. */
function said(mixed $thing): string
{
    return str_replace('CoppiceStub\\', 'Coppice\\', is_string($thing) ? $thing : var_export($thing, true));
}

/** @return list<string> */
function parameters(ReflectionMethod $method): array
{
    $said = [];
    foreach ($method->getParameters() as $p) {
        $said[] = said((string) ($p->getType() ?? 'none')) . ($p->isPassedByReference() ? ' &' : ' ') . ($p->isVariadic() ? '...' : '') . '$' . $p->getName()
            . ($p->isDefaultValueAvailable() ? ' = ' . said($p->getDefaultValue()) : '');
    }
    return $said;
}

/**
 * @param ReflectionClass<object> $class
 * @return array<string, string>
 */
function members(ReflectionClass $class): array
{
    // What the extension's handlers do, a class of PHP's does by these.
    $handlers = ['__clone', '__serialize', '__unserialize', '__set', '__destruct'];
    $said = [
        'kind' => implode(' ', Reflection::getModifierNames($class->getModifiers())) . ($class->isInterface() ? ' interface' : ' class'),
        'parent' => said($class->getParentClass() ? $class->getParentClass()->getName() : 'none'),
    ];
    $interfaces = array_map(said(...), $class->getInterfaceNames());
    sort($interfaces);
    $said['interfaces'] = implode(', ', $interfaces);
    foreach ($class->getReflectionConstants() as $constant) {
        if ($constant->isPublic() && !str_starts_with($constant->getDeclaringClass()->getName(), 'Exception')) {
            $said['const ' . $constant->getName()] = said($constant->getValue());
        }
    }
    foreach ($class->getProperties() as $property) {
        if (str_starts_with($property->getDeclaringClass()->getName(), 'Coppice') && $property->isPublic()) {
            $said['$' . $property->getName()] = implode(' ', Reflection::getModifierNames($property->getModifiers())) . ' ' . said((string) $property->getType());
        }
    }
    foreach ($class->getMethods() as $method) {
        if (!str_starts_with($method->getDeclaringClass()->getName(), 'Coppice') || in_array($method->getName(), $handlers, true)) {
            continue;
        }
        if ($method->getName() === '__construct') {
            $said['__construct()'] = implode(' ', Reflection::getModifierNames($method->getModifiers()));
        } elseif ($method->isPublic()) {
            $said[$method->getName() . '()'] = implode(' ', Reflection::getModifierNames($method->getModifiers()))
                . ' (' . implode(', ', parameters($method)) . '): ' . said((string) ($method->getReturnType() ?? 'none'));
        }
    }
    return $said;
}

$checks = $failed = 0;
foreach ($m[1] as $name) {
    $wanted = members(new ReflectionClass("CoppiceStub\\$name"));
    if (!class_exists("Coppice\\$name") && !interface_exists("Coppice\\$name")) {
        echo "FAILED there is no Coppice\\$name\n";
        ++$failed;
        continue;
    }
    $got = members(new ReflectionClass("Coppice\\$name"));
    foreach (array_keys($wanted + $got) as $member) {
        ++$checks;
        if (($wanted[$member] ?? null) !== ($got[$member] ?? null)) {
            ++$failed;
            echo "FAILED $name $member\n  stub:    ", $wanted[$member] ?? 'none', "\n  package: ", $got[$member] ?? 'none', "\n";
        }
    }
    unset($wanted['__construct()'], $got['__construct()']);
    if (array_keys($wanted) !== array_keys($got)) {
        ++$failed;
        echo "FAILED $name: its members stand in another order than in the stub\n";
    }
}
// Whatever is public beside the stub's classes would be an interface of one implementation only.
foreach (glob(__DIR__ . '/../src/*.php') ?: [] as $file) {
    ++$checks;
    if (!in_array(basename($file, '.php'), $m[1], true)) {
        ++$failed;
        echo 'FAILED Coppice\\', basename($file, '.php'), " is not in the stub\n";
    }
}
echo 'signatures: ', $checks - $failed, " passed, $failed failed\n";
exit($failed === 0 && $checks > 50 ? 0 : 1);
