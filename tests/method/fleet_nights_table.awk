# Lines of fleet_nights.sh as a table: shares with exact binomial
# limits (Clopper and Pearson, 95 %).
# Exits 1 if limits of nights that are paired exclude a promise: 99.5 % of clean nights exit 0, none
# exits 1; +1 % is found in 99 %, +0.5 % at a tolerance of 0.25 % in 80 %; a
# slow state is within in at most 5 %.

BEGIN {
    FS = ","
    print "| night | tolerance | GPUs accepted | noise of 40 us | nights | exit 0 | exit 1 | exit 2 | rows unresolved | +1 % found | +0.5 % found | slow state within |"
    print "|---|---|---|---|---|---|---|---|---|---|---|---|"
}

{
    key = $1 ", " $2 " | " $3 " % | " $4 " | " $5 " %"
    if (!(key in nights))
        order[++keys] = key
    nights[key]++
    exits[key, $7]++
    unresolved[key] += $11
    for (i = 1; i <= 3; i++) {
        said[key, i] += $(10 + 2 * i)
        of[key, i] += $(11 + 2 * i)
    }
}

# P(X <= k) of n draws of chance p.
function below(k, n, p,    i, term, sum)
{
    if (p <= 0 || p >= 1)
        return p <= 0 || k >= n
    term = n * log(1 - p)
    sum = exp(term)
    for (i = 1; i <= k; i++) {
        term += log((n - i + 1) / i * p / (1 - p))
        sum += exp(term)
    }
    return sum
}

# The chance at which k or fewer of n come out with probability q.
function limit(k, n, q,    low, high, middle, step)
{
    low = 0
    high = 1
    for (step = 0; step < 50; step++) {
        middle = (low + high) / 2
        if (below(k, n, middle) > q)
            low = middle
        else
            high = middle
    }
    return low
}

function share(k, n)
{
    k += 0
    if (n == 0)
        return "-"
    return sprintf("%d of %d: %.4g %% [%.4g, %.4g]", k, n, 100 * k / n, k == 0 ? 0 : 100 * limit(k - 1, n, 0.975),
                   k == n ? 100 : 100 * limit(k, n, 0.025))
}

function broken(what, key)
{
    printf "%s: %s\n", key, what
    failures++
}

function check(key, n, exits_0, exits_1, found, of)
{
    if (key !~ /paired/)
        return
    if (key ~ /^clean/ && exits_1 > 0)
        broken("a clean night exits 1", key)
    if (key ~ /^clean/ && exits_0 < n && limit(exits_0, n, 0.025) < 0.995)
        broken("fewer than 99.5 % of clean nights exit 0", key)
    if (key !~ /^changed/)
        return
    if (found[1] < of[1] && limit(found[1], of[1], 0.025) < 0.99)
        broken("+1 % is found in fewer than 99 %", key)
    if (key ~ / 0[.]25 %/ && found[2] < of[2] && limit(found[2], of[2], 0.025) < 0.8)
        broken("+0.5 % is found in fewer than 80 %", key)
    if (found[3] > 0 && limit(found[3] - 1, of[3], 0.975) > 0.05)
        broken("a slow state is within in more than 5 %", key)
}

END {
    for (i = 1; i <= keys; i++) {
        key = order[i]
        n = nights[key]
        is_changed = key ~ /^changed/
        printf "| %s | %d | %s | %s | %s | %.1f", key, n, share(exits[key, 0], n), share(exits[key, 1], n), share(exits[key, 2], n),
               unresolved[key] / n
        for (row = 1; row <= 3; row++) {
            printf " | %s", is_changed ? share(said[key, row], of[key, row]) : "-"
            found[row] = said[key, row]
            rows[row] = of[key, row]
        }
        print " |"
        check(key, n, exits[key, 0], exits[key, 1], found, rows)
    }
    exit failures > 0
}
