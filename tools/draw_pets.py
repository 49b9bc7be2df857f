#!/usr/bin/env python3
"""Render docs/pets.jpg: a cat on the left and a dog on the right, sitting in a room.

    python tools/draw_pets.py docs/pets.jpg

Every animal is a distance function, put together from ellipsoids and cones, and is found by walking along the
rays of a camera. Light comes from a window on the left; fur is noise that is stretched along the hair. Needs numpy
and pillow; takes about a minute.
"""

import argparse
import functools

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

LIGHT = np.array([-0.5, 0.75, 0.6]) / np.linalg.norm([-0.5, 0.75, 0.6])
EYE = np.array([0.0, 1.35, 7.0])
LOOK_AT = np.array([0.0, 1.08, 0.0])
VIEW = 0.262  # half the picture's width at a distance of one


# ------------------------------------------------------------------------------------------ shapes


def length(v):
    return np.sqrt((v * v).sum(-1))


def ellipsoid(p, centre, radii, turn=0.0):
    """`turn` rotates about the z axis, in degrees, counterclockwise."""
    q = turned(p - np.array(centre), turn)
    inner = length(q / radii)
    return inner * (inner - 1) / np.maximum(length(q / np.square(radii)), 1e-6)


def turned(q, degrees):
    if not degrees:
        return q
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    return np.stack([c * q[..., 0] + s * q[..., 1], -s * q[..., 0] + c * q[..., 1], q[..., 2]], -1)


def cone(p, a, b, ra, rb, flat=1.0):
    """A cone with round ends from a to b; `flat` < 1 presses it along z."""
    a, b = np.array(a, float), np.array(b, float)
    squash = np.array([1, 1, 1 / flat])
    q, d = (p - a) * squash, (b - a) * squash
    t = np.clip((q @ d) / (d @ d), 0, 1)
    return (length(q - t[..., None] * d) - (ra + (rb - ra) * t)) * flat


def chain(p, points, radii):
    return functools.reduce(lambda a, b: blend(a, b, 0.03),
                            [cone(p, points[i], points[i + 1], radii[i], radii[i + 1]) for i in range(len(points) - 1)])


def blend(a, b, k):
    """A union whose seam is rounded over a width of k."""
    h = np.clip(0.5 + 0.5 * (b - a) / k, 0, 1)
    return b + (a - b) * h - k * h * (1 - h)


def blended(k, *shapes):
    return functools.reduce(lambda a, b: blend(a, b, k), shapes)


def mirrored(p, x):
    """Both sides of an animal whose middle is at x, on one side."""
    return np.concatenate([np.abs(p[..., :1] - x) + x, p[..., 1:]], -1)


# ------------------------------------------------------------------------------------------- noise


LATTICE = np.random.default_rng(7).random((32, 32, 32))


def noise(p):
    """Smooth random values between 0 and 1 over space."""
    base = np.floor(p).astype(int)
    f = p - base
    f = f * f * (3 - 2 * f)
    total = 0.0
    for corner in np.ndindex(2, 2, 2):
        x, y, z = ((base[..., i] + corner[i]) % 32 for i in range(3))
        weight = np.prod([f[..., i] if corner[i] else 1 - f[..., i] for i in range(3)], axis=0)
        total = total + weight * LATTICE[x, y, z]
    return total


def fur(p, fine=1.0):
    """Hair that runs downwards: between 0 and 1."""
    bent = p + 0.05 * (noise(p * 5)[..., None] - 0.5)
    return 0.6 * noise(bent * (np.array([46, 11, 46]) * fine)) + 0.4 * noise(bent * (np.array([90, 22, 90]) * fine) + 9)


# ------------------------------------------------------------------------------------------ animals

CAT, DOG = -0.90, 0.88


def cat(p):
    """Distances of the cat's parts: fur, nose, eyes."""
    m = mirrored(p, CAT)
    x = CAT
    body = blended(
        0.18,
        ellipsoid(p, (x, 0.48, -0.15), (0.42, 0.52, 0.46)),
        ellipsoid(p, (x, 0.90, 0.08), (0.37, 0.52, 0.36)),
        ellipsoid(m, (x + 0.34, 0.30, 0.12), (0.24, 0.34, 0.40)),
    )
    legs = blend(cone(m, (x + 0.15, 0.80, 0.30), (x + 0.14, 0.10, 0.42), 0.15, 0.11),
                 ellipsoid(m, (x + 0.15, 0.07, 0.50), (0.13, 0.085, 0.17)), 0.08)
    feet = ellipsoid(m, (x + 0.40, 0.07, 0.46), (0.13, 0.08, 0.20))
    tail = chain(p, [(x - 0.40, 0.15, -0.2), (x - 0.70, 0.09, 0.1), (x - 0.66, 0.08, 0.5), (x - 0.36, 0.08, 0.72)],
                 [0.11, 0.10, 0.09, 0.07])
    head = blended(
        0.10,
        ellipsoid(p, (x, 1.62, 0.22), (0.42, 0.36, 0.36)),
        ellipsoid(m, (x + 0.22, 1.50, 0.30), (0.22, 0.18, 0.22)),
        ellipsoid(m, (x + 0.085, 1.465, 0.55), (0.115, 0.085, 0.10)),
        ellipsoid(p, (x, 1.40, 0.50), (0.10, 0.07, 0.09)),
        cone(p, (x, 1.66, 0.50), (x, 1.53, 0.60), 0.07, 0.06),
    )
    ears = cone(m, (x + 0.25, 1.82, 0.18), (x + 0.36, 2.20, 0.14), 0.19, 0.015, 0.45)
    hollow = cone(m, (x + 0.255, 1.84, 0.27), (x + 0.345, 2.11, 0.20), 0.125, 0.01, 0.5)
    ears = np.maximum(ears, -hollow)
    coat = blended(0.05, blended(0.12, body, legs, head), ears, feet)
    coat = np.minimum(coat, tail)
    nose = ellipsoid(p, (x, 1.525, 0.655), (0.052, 0.036, 0.04))
    eyes = ellipsoid(m, (x + 0.170, 1.655, 0.475), (0.115, 0.10, 0.10))
    return coat, nose, eyes


def dog(p):
    """Distances of the dog's parts: fur, nose, eyes, ears, tongue."""
    m = mirrored(p, DOG)
    x = DOG
    body = blended(
        0.2,
        ellipsoid(p, (x, 0.52, -0.25), (0.46, 0.56, 0.46)),
        ellipsoid(p, (x, 1.00, 0.05), (0.43, 0.60, 0.40)),
        ellipsoid(m, (x + 0.40, 0.28, 0.00), (0.22, 0.32, 0.42)),
        cone(p, (x, 1.25, 0.0), (x, 1.65, 0.12), 0.36, 0.28),
    )
    legs = blend(cone(m, (x + 0.19, 0.90, 0.24), (x + 0.19, 0.12, 0.38), 0.19, 0.135),
                 ellipsoid(m, (x + 0.19, 0.08, 0.48), (0.17, 0.10, 0.20)), 0.08)
    feet = ellipsoid(m, (x + 0.48, 0.08, 0.42), (0.16, 0.09, 0.24))
    head = blended(
        0.12,
        ellipsoid(p, (x, 1.93, 0.16), (0.37, 0.34, 0.38)),
        ellipsoid(m, (x + 0.16, 1.76, 0.30), (0.20, 0.18, 0.22)),
        cone(p, (x, 1.78, 0.42), (x, 1.73, 0.82), 0.215, 0.15),
        ellipsoid(m, (x + 0.085, 1.68, 0.78), (0.115, 0.10, 0.17)),
    )
    jaw = cone(p, (x, 1.58, 0.38), (x, 1.50, 0.68), 0.15, 0.09)
    coat = blended(0.14, body, legs, head)
    coat = blended(0.05, coat, jaw, feet)
    nose = ellipsoid(p, (x, 1.80, 0.955), (0.095, 0.068, 0.07))
    eyes = ellipsoid(m, (x + 0.155, 1.955, 0.475), (0.062, 0.062, 0.06))
    ears = blend(ellipsoid(m, (x + 0.44, 1.72, 0.14), (0.13, 0.36, 0.20), 10),
                 ellipsoid(m, (x + 0.32, 2.02, 0.12), (0.16, 0.13, 0.18), -35), 0.1)
    tongue = blend(ellipsoid(p, (x, 1.50, 0.78), (0.085, 0.05, 0.14)),
                   ellipsoid(p, (x, 1.39, 0.86), (0.08, 0.14, 0.035)), 0.05)
    return coat, nose, eyes, ears, tongue


def coat_of_cat(p):
    """A tabby's colours: dark stripes on grey brown; muzzle, chest and paws are white."""
    x = p[..., 0] - CAT
    warp = 0.35 * (noise(p * 4) - 0.5)
    head = p[..., 1] > 1.32
    on_head = np.sin(40 * (np.abs(x) + 0.25 * warp) + 2.0) * np.clip((p[..., 1] - 1.70) * 9, 0, 1)
    cheeks = np.sin(36 * (p[..., 1] + 0.5 * np.abs(x) + 0.2 * warp)) * np.clip((np.abs(x) - 0.22) * 8, 0, 1)
    on_body = np.sin(38 * (0.75 * p[..., 1] + 0.6 * np.abs(x) + 0.9 * warp)) + 1.1 * (noise(p * 5 + 3) - 0.55)
    stripes = np.clip(np.where(head, np.maximum(on_head, cheeks), on_body) * 0.9 + 0.25 + 0.5 * (noise(p * 30) - 0.5), 0, 1)
    light, dark = np.array([0.62, 0.54, 0.45]), np.array([0.22, 0.175, 0.14])
    colour = light + (dark - light) * (0.85 * stripes)[..., None]
    muzzle = 1.15 - length((p - np.array([CAT, 1.44, 0.58])) / np.array([0.19, 0.12, 0.30]))
    blaze = 1.0 - length((p - np.array([CAT, 1.60, 0.56])) / np.array([0.05, 0.22, 0.3]))
    chest = 1.1 - length((p - np.array([CAT, 1.02, 0.46])) / np.array([0.22, 0.36, 0.40]))
    paws = (0.16 - p[..., 1]) * 6 * (np.abs(x) < 0.62)
    white = np.clip(4 * np.maximum.reduce([muzzle, blaze, chest, paws]) + 1.2 * (noise(p * 14) - 0.5), 0, 1)
    colour = colour + (np.array([0.93, 0.90, 0.86]) - colour) * white[..., None]
    inner = (p[..., 1] > 1.80) & (p[..., 2] > 0.13) & (length(p[..., :2] - np.stack(
        [CAT + np.sign(x) * (0.27 + 0.3 * (p[..., 1] - 1.9)), p[..., 1]], -1)) < 0.16 - 0.42 * (p[..., 1] - 1.87))
    inner &= p[..., 1] > 1.9
    return np.where(inner[..., None], np.array([0.66, 0.48, 0.43]), colour)


def coat_of_dog(p):
    """Golden brown; muzzle, blaze, chest and paws are white."""
    x = p[..., 0] - DOG
    colour = np.array([0.74, 0.46, 0.22]) * (0.86 + 0.28 * noise(p * 3)[..., None])
    back = np.clip((np.abs(x) - 0.3) * 3, 0, 1) * (p[..., 1] < 1.4)
    colour = colour * (1 - 0.35 * back[..., None])
    muzzle = 1.1 - length((p - np.array([DOG, 1.66, 0.80])) / np.array([0.26, 0.22, 0.34]))
    blaze = 1.0 - length((p - np.array([DOG, 2.02, 0.5])) / np.array([0.07, 0.30, 0.35]))
    chest = 1.1 - length((p - np.array([DOG, 1.02, 0.46])) / np.array([0.27, 0.46, 0.42]))
    paws = (0.30 - p[..., 1]) * 4
    white = np.clip(4 * np.maximum.reduce([muzzle, blaze, chest, paws]) + 1.2 * (noise(p * 12) - 0.5), 0, 1)
    return colour + (np.array([0.94, 0.91, 0.86]) - colour) * white[..., None]


def shade_cat(p, part):
    colour = coat_of_cat(p) * (0.62 + 0.72 * fur(p, 1.1))[..., None]
    colour = np.where((part == 1)[..., None], np.array([0.72, 0.42, 0.40]), colour)
    q = p - np.array([CAT, 1.655, 0.0])
    across = (np.abs(q[..., 0]) - 0.160) / 0.026
    pupil = across**2 + (q[..., 1] / 0.072) ** 2 < 1
    rim = (np.abs(q[..., 0]) - 0.165) ** 2 / 0.094**2 + q[..., 1] ** 2 / 0.078**2 > 0.85
    eye = np.where(pupil[..., None], 0.02, np.array([0.62, 0.66, 0.18]) * (0.8 + 4 * np.abs(q[..., 1:2])))
    eye = np.where((rim & ~pupil)[..., None], 0.05, eye)
    return np.where((part == 2)[..., None], eye, colour)


def shade_dog(p, part):
    hair = (0.66 + 0.64 * fur(p, 0.8))[..., None]
    colour = coat_of_dog(p) * hair
    colour = np.where((part == 1)[..., None], 0.03, colour)
    q = p - np.array([DOG, 1.955, 0.0])
    pupil = (np.abs(q[..., 0]) - 0.155) ** 2 + q[..., 1] ** 2 < 0.026**2
    colour = np.where((part == 2)[..., None], np.where(pupil[..., None], 0.01, np.array([0.16, 0.075, 0.03])), colour)
    colour = np.where((part == 3)[..., None], np.array([0.42, 0.22, 0.10]) * hair, colour)
    return np.where((part == 4)[..., None], np.array([0.83, 0.36, 0.38]), colour)


# ------------------------------------------------------------------------------------------ picture


def scene(p):
    return np.minimum(np.minimum.reduce(cat(p)), np.minimum.reduce(dog(p)))


def rays(size):
    forward = (LOOK_AT - EYE) / np.linalg.norm(LOOK_AT - EYE)
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    at = (np.arange(size) + 0.5) / size * 2 - 1
    x, y = np.meshgrid(at * VIEW, -at * VIEW)
    d = forward + x[..., None] * right + y[..., None] * up
    return (d / length(d)[..., None]).reshape(-1, 3)


def march(directions, steps=60):
    """Where rays from the eye meet an animal: points, and whether they do."""
    travelled = np.full(len(directions), 5.0)
    alive = np.arange(len(directions))
    hit = np.zeros(len(directions), bool)
    for _ in range(steps):
        distance = scene(EYE + travelled[alive, None] * directions[alive])
        travelled[alive] += 0.85 * distance
        hit[alive[distance < 0.002]] = True
        alive = alive[(distance >= 0.002) & (travelled[alive] < 9)]
        if not len(alive):
            break
    return EYE + travelled[:, None] * directions, hit


def normals(p, distance, step=0.004):
    offsets = np.eye(3) * step
    n = np.stack([distance(p + o) - distance(p - o) for o in offsets], -1)
    return n / np.maximum(length(n), 1e-9)[..., None]


def openness(p, n):
    """How much of the surroundings a point sees, 0 to 1."""
    covered = 0.0
    for k in range(1, 5):
        reach = 0.06 * k * k**0.5
        covered = covered + np.clip(reach - scene(p + n * reach), 0, None) / reach / 2**k
    return np.clip(1 - 1.4 * covered, 0.15, 1)


def lit(p, n):
    """Light that reaches a point, with soft shadows."""
    light, reach = np.ones(len(p)), 0.04
    for _ in range(14):
        distance = scene(p + n * 0.02 + LIGHT * reach)
        light = np.minimum(light, np.clip(6 * distance / reach + 0.3, 0, 1))
        reach += 0.13
    return light


def room(directions, size):
    """What is behind the animals, out of focus: a wall with a window's light, a sofa, and a wooden floor."""
    to_floor = -EYE[1] / np.minimum(directions[:, 1], -1e-6)
    p = EYE + to_floor[:, None] * directions
    floor = (directions[:, 1] < 0) & (p[:, 2] > -3.2)
    planks = 0.9 + 0.12 * np.sin(9 * p[:, 0] + 3 * np.sin(2 * np.floor(p[:, 0] * 2.2))) + 0.15 * (noise(p * [8, 1, 1.2]) - 0.5)
    wood = np.array([0.66, 0.52, 0.38]) * planks[:, None]
    to_wall = (-3.2 - EYE[2]) / directions[:, 2]
    w = EYE + to_wall[:, None] * directions
    glow = np.exp(-((w[:, 0] + 2.6) ** 2) / 3 - (w[:, 1] - 2.8) ** 2 / 2)
    wall = np.array([0.70, 0.67, 0.60]) + np.array([0.30, 0.29, 0.25]) * glow[:, None]
    sofa = (w[:, 1] < 1.25 + 0.08 * np.sin(w[:, 0] * 2)) & (np.abs(w[:, 0] - 0.4) < 2.9)
    wall = np.where(sofa[:, None], np.array([0.33, 0.40, 0.47]) * (0.8 + 0.3 * noise(w * 1.5)[:, None]), wall)
    colour = np.where(floor[:, None], wood, wall)
    shaded = np.clip(colour, 0, 1).reshape(size, size, 3)
    blurred = Image.fromarray((shaded * 255).astype(np.uint8)).filter(ImageFilter.GaussianBlur(size / 55))
    return np.asarray(blurred).reshape(-1, 3) / 255.0, floor, p


def render(size):
    directions = rays(size)
    colour, floor, ground = room(directions, size)
    near = np.flatnonzero(floor & (ground[:, 2] > -1.8) & (np.abs(ground[:, 0]) < 2.6))
    up = np.broadcast_to([0.0, 1.0, 0.0], (len(near), 3))
    shadow = 0.35 + 0.65 * lit(ground[near], up) * openness(ground[near], up)
    colour[near] *= shadow[:, None]

    p, hit = march(directions)
    p = p[hit]
    parts = [np.stack(animal(p)) for animal in (cat, dog)]
    is_dog = parts[1].min(0) < parts[0].min(0)
    n = normals(p, scene)
    soft = np.where(is_dog, np.isin(parts[1].argmin(0), (0, 3)), parts[0].argmin(0) == 0)
    ruffle = np.stack([fur(p + o) - fur(p - o) for o in np.eye(3) * 0.012], -1)
    n = np.where(soft[:, None], n - 0.55 * ruffle, n)
    n /= length(n)[:, None]
    own = np.where(is_dog[:, None], shade_dog(p, parts[1].argmin(0)), shade_cat(p, parts[0].argmin(0)))

    diffuse = np.clip(0.25 + 0.75 * (n @ LIGHT), 0, 1) * lit(p, n)
    sky = (0.55 + 0.45 * n[:, 1]) * openness(p, n)
    towards = directions[hit]
    half = LIGHT - towards
    half /= length(half)[:, None]
    gloss = np.clip((n * half).sum(-1), 0, 1) ** np.where(soft, 8, 120) * np.where(soft, 0.05, 0.7)
    edge = (1 - np.clip(-(n * towards).sum(-1), 0, 1)) ** 3 * soft * 0.25
    light = diffuse[:, None] * np.array([1.05, 0.98, 0.88]) * 0.95 + sky[:, None] * np.array([0.46, 0.50, 0.56])
    light = light + edge[:, None]
    colour[hit] = own * light + gloss[:, None]
    return colour.reshape(size, size, 3)


def project(point, size):
    """A point of the scene in pixels."""
    forward = (LOOK_AT - EYE) / np.linalg.norm(LOOK_AT - EYE)
    right = np.cross(forward, [0, 1, 0])
    right /= np.linalg.norm(right)
    up = np.cross(right, forward)
    v = np.array(point) - EYE
    x, y = v @ right / (v @ forward) / VIEW, v @ up / (v @ forward) / VIEW
    return (x + 1) / 2 * size, (1 - y) / 2 * size


def whiskers(picture):
    draw = ImageDraw.Draw(picture, "RGBA")
    for side in (-1, 1):
        for k, drop in enumerate((0.10, 0.0, -0.10, -0.17)):
            start = np.array([CAT + side * 0.14, 1.47 - 0.02 * k, 0.63])
            end = np.array([CAT + side * 0.62, 1.47 + drop, 0.60])
            bend = (start + end) / 2 + [0, 0.05, 0]
            t = np.linspace(0, 1, 20)[:, None]
            curve = (1 - t) ** 2 * start + 2 * t * (1 - t) * bend + t**2 * end
            draw.line([project(c, picture.width) for c in curve], fill=(245, 240, 232, 150), width=max(1, picture.width // 500))


def mouth(picture):
    draw = ImageDraw.Draw(picture, "RGBA")
    width = max(1, picture.width // 260)
    for side in (-1, 1):
        t = np.linspace(0, 1, 16)
        curve = [(CAT + side * 0.11 * a, 1.465 - 0.045 * np.sin(np.pi * min(1, a * 1.1)), 0.66) for a in t]
        draw.line([project(c, picture.width) for c in curve], fill=(50, 30, 28, 200), width=width)
    draw.line([project((CAT, y, 0.68), picture.width) for y in (1.50, 1.465)], fill=(50, 30, 28, 200), width=width)


def photograph(size):
    """Rendered at twice the size and brought down, with a lens's softness and a sensor's grain."""
    colour = np.clip(render(2 * size), 0, None)
    colour = colour / (1 + 0.18 * colour)
    big = Image.fromarray((np.clip(colour, 0, 1) ** 0.88 * 255).astype(np.uint8))
    mouth(big)
    whiskers(big)
    picture = np.asarray(big.filter(ImageFilter.GaussianBlur(1.0)).resize((size, size), Image.LANCZOS)).astype(float)
    y, x = np.mgrid[-1 : 1 : size * 1j, -1 : 1 : size * 1j]
    picture *= (1 - 0.13 * (x * x + y * y))[..., None]
    picture += np.random.default_rng(1).normal(0, 2.2, picture.shape)
    return Image.fromarray(np.clip(picture, 0, 255).astype(np.uint8))


def main():
    parser = argparse.ArgumentParser(description="Render the picture of a cat and a dog.")
    parser.add_argument("out", help="JPEG file to write")
    parser.add_argument("--size", type=int, default=384)
    options = parser.parse_args()
    photograph(options.size).save(options.out, quality=88)


if __name__ == "__main__":
    main()
